/** The properties that a drawing gets from the style sheet. */
const STYLED = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "opacity",
] as const;

const SVG = "http://www.w3.org/2000/svg";

/**
 * A drawing as a separate file: all of it, whatever the page shows of it, with its styles as attributes, so that it looks the same
 * anywhere.
 */
export function standaloneSvg(shown: SVGSVGElement, { width, height }: { width: number; height: number }): string {
  const copy = shown.cloneNode(true) as SVGSVGElement;
  const originals = [shown, ...shown.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, i) => {
    const target = copies[i] as Element;
    const style = getComputedStyle(original);
    if (!["svg", "title", "desc", "g"].includes(original.tagName))
      for (const name of STYLED) {
        const value = style.getPropertyValue(name);
        if (value !== "" && value !== "none") target.setAttribute(name, value);
        else if (name === "fill" || name === "stroke") target.setAttribute(name, "none");
      }
    for (const name of ["class", "style", "tabindex", "aria-labelledby"]) target.removeAttribute(name);
  });
  copy.querySelector("g")?.removeAttribute("transform");
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("viewBox", `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`);
  copy.setAttribute("width", String(Math.ceil(width)));
  copy.setAttribute("height", String(Math.ceil(height)));
  const back = document.createElementNS(SVG, "rect");
  back.setAttribute("width", "100%");
  back.setAttribute("height", "100%");
  back.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.insertBefore(back, copy.querySelector("g"));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

/** Saves a text as a file on the reader's machine. */
export function saveFile(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A name that every system takes. */
export const fileName = (text: string): string =>
  `${text.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 100) || "drawing"}.svg`;
