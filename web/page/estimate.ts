// How the model is estimated: controls for the flags of fit.

interface EstimateChoice {
  covariance: string;  // "": the model that is there
  shrinkage: string;   // "auto", or a number
  towardsTied: string;
  tails: string;
  projection: string;  // "", "pca" or "lda"
  components: string;
  estimate: string;
}

const plainEstimate: EstimateChoice = {
  covariance: "full", shrinkage: "0", towardsTied: "0", tails: "normal", projection: "", components: "1",
  estimate: "plugin" };

/** The flags of fit. */
function estimateWords(of: EstimateChoice): string[] {
  const words = ["--covariance", of.covariance];
  if (of.covariance === "auto") return words;
  if (of.towardsTied !== "0") words.push("--towards-tied", of.towardsTied);
  if (of.shrinkage !== "auto") words.push("--shrinkage", of.shrinkage);
  if (of.tails !== "normal") words.push("--tails", of.tails);
  if (of.projection !== "") words.push("--" + of.projection, of.components);
  if (of.estimate !== "plugin") words.push("--estimate", of.estimate);
  return words;
}

/** The flags of fit for logistic regression of the same form. A penalty keeps its weights finite where the
    classes can be separated. */
function twinWords(of: EstimateChoice): string[] {
  return ["--discriminative", "--covariance", of.covariance === "auto" ? "tied" : of.covariance, "--penalty", "0.1"];
}

class EstimateControls {
  readonly root = element("fieldset", {}, element("legend", {}, "Estimate"));
  private readonly covariance: HTMLSelectElement;
  private readonly shrinkage: HTMLSelectElement;
  private readonly strength: HTMLInputElement;
  private readonly towards: HTMLInputElement;
  private readonly tails: HTMLSelectElement;
  private readonly projection: HTMLSelectElement;
  private readonly components: HTMLInputElement;
  private readonly estimate: HTMLSelectElement;
  private readonly outputs = [element("output"), element("output")];
  private readonly rest = element("div");

  /** `first`: further values of the covariance, before the others. */
  constructor(first: [string, string][], changed: () => void) {
    const change = () => { this.show(); changed(); };
    this.covariance = choice([...first, ["full", "full: one per class"], ["tied", "tied: one for all classes"],
      ["diag", "diag: variances per class"], ["tied-diag", "tied-diag: variances for all classes"],
      ["spherical", "spherical: one variance per class"],
      ["tied-spherical", "tied-spherical: one variance"]], change);
    this.covariance.id = "covariance";
    this.shrinkage = choice([["auto", "automatic"], ["given", "by hand"]], change);
    this.strength = slider(0, 1, 0.01, 0, change);
    this.towards = slider(0, 1, 0.01, 0, change);
    this.tails = choice([["normal", "normal"], ["30", "t, 30 degrees of freedom"],
      ["10", "t, 10"], ["5", "t, 5"], ["3", "t, 3"]], change);
    this.projection = choice([["", "none"], ["pca", "principal components"],
      ["lda", "discriminant directions (LDA)"]], change);
    this.components = element("input", { type: "number", min: 1, max: 1000, step: 1, value: 1 });
    this.components.addEventListener("change", change);
    this.estimate = choice([["plugin", "plug-in"], ["map", "most probable (MAP)"],
      ["bayes", "averaged over the parameters (Bayes)"]], change);
    const [strength, towards] = this.outputs as [HTMLOutputElement, HTMLOutputElement];
    this.rest.append(labelled("Shrinkage", this.shrinkage), labelled("to the diagonal", this.strength, strength),
      labelled("to the tied covariance", this.towards, towards), labelled("Tails", this.tails),
      labelled("Projection", this.projection), labelled("dimensions", this.components),
      labelled("Parameters", this.estimate));
    this.root.append(labelled("Covariance", this.covariance), this.rest);
    this.show();
  }

  get chosen(): EstimateChoice {
    return { covariance: this.covariance.value,
             shrinkage: this.shrinkage.value === "auto" ? "auto" : this.strength.value,
             towardsTied: this.towards.value, tails: this.tails.value, projection: this.projection.value,
             components: this.components.value || "1", estimate: this.estimate.value };
  }
  set chosen(of: EstimateChoice) {
    this.covariance.value = of.covariance;
    this.shrinkage.value = of.shrinkage === "auto" ? "auto" : "given";
    this.strength.value = of.shrinkage === "auto" ? "0" : of.shrinkage;
    this.towards.value = of.towardsTied;
    this.tails.value = of.tails;
    this.projection.value = of.projection;
    this.components.value = of.components;
    this.estimate.value = of.estimate;
    this.show();
  }

  private show(): void {
    this.rest.hidden = this.covariance.value === "" || this.covariance.value === "auto";
    const hide = (control: HTMLElement, hidden: boolean) => {
      if (control.parentElement) control.parentElement.hidden = hidden;
    };
    hide(this.strength, this.shrinkage.value === "auto");
    hide(this.components, this.projection.value === "");
    hide(this.towards, this.covariance.value.includes("tied"));
    if (this.covariance.value.includes("tied")) this.towards.value = "0";
    const [strength, towards] = this.outputs as [HTMLOutputElement, HTMLOutputElement];
    strength.textContent = this.strength.value;
    towards.textContent = this.towards.value;
  }
}
