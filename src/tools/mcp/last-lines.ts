const MAX_LINES = 8;
const MAX_CHARS = 2_000;

/** The end of what a process says: enough to know why it failed, whatever it says before. */
export class LastLines {
  private text = "";

  add(chunk: Buffer): void {
    this.text = (this.text + chunk.toString("utf8")).slice(-MAX_CHARS);
  }

  /** Joined as they were; "" when nothing was said. */
  get lines(): string {
    return this.text.trimEnd().split("\n").slice(-MAX_LINES).join("\n").trim();
  }
}
