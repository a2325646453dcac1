/** Callers that this process remembers. */
const MAX_CALLERS = 1_000;

/**
 * What stays of a caller from one request to the next, in this process: the tickets of cards. The one who was not seen for longest is
 * forgotten first, and gets new cards.
 */
export class Callers {
  private readonly byId = new Map<string, object>();

  of(id: string): object {
    const known = this.byId.get(id) ?? {};
    this.byId.delete(id);
    this.byId.set(id, known);
    const [oldest] = this.byId.keys();
    if (this.byId.size > MAX_CALLERS && oldest !== undefined) this.byId.delete(oldest);
    return known;
  }
}
