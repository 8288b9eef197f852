// Starts the page. Without WebAssembly, what it had before stays, with the reason.

interface PlayPage {
  kind: "play";
  data: string;  // the name of the table that the page carries; empty: none
}

async function start(): Promise<void> {
  const place = document.getElementById("live");
  const settings = document.getElementById("suffice-page");
  if (!place || !settings) return;
  try {
    if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined")
      throw new Error("this browser has no WebAssembly");
    const page = JSON.parse(settings.textContent ?? "") as LivePage | PlayPage;
    const engine = await Engine.start();
    Object.assign(globalThis, { suffice: engine });  // for the browser's console: suffice.run("show", …)
    if (page.kind === "live") startLive(engine, page, place);
    else startPlay(engine, page, place);
    document.documentElement.dataset["ready"] = "yes";
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    place.append(element("p", { class: "alarm", role: "alert" }, `The page cannot be changed here: ${reason}.`));
    document.documentElement.dataset["ready"] = "no";
  }
}

void start();
