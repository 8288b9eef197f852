// The functions that a page calls (suffice.d.ts), around those of module.cpp. emcc puts this text at
// the end of its own, inside the function that makes a module.
(() => {
  const folder = "/work";
  const streams = "/streams/";
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let broken = null;

  // Standard input, output and error are files in memory, so that a program that asks is told that
  // they are no terminal.
  addOnPostRun(() => {
    FS.mkdir("/streams");
    FS.mkdir(folder);
    FS.chdir(folder);
    ["input", "output", "error"].forEach((name, descriptor) => {
      FS.close(FS.streams[descriptor]);
      FS.writeFile(streams + name, "");
      FS.open(streams + name, name === "input" ? "r" : "r+");
    });
  });

  const take = (name) => {
    const text = decoder.decode(FS.readFile(streams + name));
    FS.truncate(streams + name, 0);
    return text;
  };

  const call = (words, run) => {
    if (broken) throw broken;
    const bytes = encoder.encode(words.map((word) => word + "\0").join(""));
    try {
      for (const descriptor of [0, 1, 2]) FS.streams[descriptor].position = 0;
      const at = _malloc(bytes.length + 1);
      HEAPU8.set(bytes, at);
      const code = run(at, bytes.length);
      _free(at);
      return { code, output: take("output"), error: take("error") };
    } catch (reason) {
      broken = new Error("the engine has stopped: " + (reason && reason.message || reason));
      throw broken;
    }
  };

  const checked = (name, action) => {
    try {
      return action();
    } catch (reason) {
      throw new Error("'" + name + "': " + (reason && reason.message || reason));
    }
  };

  Module["run"] = (words) => call(words, (at, size) => _suffice_run(at, size));

  Module["write"] = (name, content) => checked(name, () => FS.writeFile(name, content));
  Module["read"] = (name) => checked(name, () => FS.readFile(name));
  Module["readText"] = (name) => decoder.decode(Module["read"](name));
  Module["exists"] = (name) => FS.analyzePath(name)["exists"];
  Module["remove"] = (name) => {
    if (Module["exists"](name)) FS.unlink(name);
  };
  Module["list"] = () =>
    FS.readdir(folder)
      .filter((name) => name !== "." && name !== "..")
      .sort()
      .map((name) => ({ "name": name, "size": FS.stat(folder + "/" + name).size }));
  Module["memory"] = () => HEAPU8.length;

  Module["open"] = (words) => {
    const { code, output, error } = call(["evaluate", ...words], (at, size) => _suffice_open(at, size));
    if (code !== 0) return { code, error };
    const { session, labels, rows } = JSON.parse(output);
    let closed = false;
    return {
      code,
      error,
      session: {
        labels,
        rows,
        figures: (more, all) => {
          if (closed) throw new Error("the session was closed");
          const answer = call(more || [], (at, size) => _suffice_figures(session, all ? 1 : 0, at, size));
          return answer.code !== 0
            ? { code: answer.code, error: answer.error }
            : { code: 0, error: answer.error, figures: JSON.parse(answer.output) };
        },
        close: () => {
          closed = true;
          _suffice_close(session);
        },
      },
    };
  };
})();
