import { randomBytes } from "node:crypto";
import type { Call } from "../context/tool";

/** What a ticket lets a card decide: one review as it was shown, by one person. */
export interface Ticket {
  workflow_id: string;
  review: string;
  seal: string | undefined;
  /** Who was authenticated when the card was filled, as `whoseOf` gives it. */
  whose: string;
}

/** How long a card may be looked at before it is filled again. */
export const TICKET_MS = 15 * 60 * 1_000;
/** The cards of one session. The oldest is forgotten, and filled again. */
const MAX_TICKETS = 200;

/**
 * The tickets of a session (approvals reference, section 1). A card gets one with the review that it shows, in the part of an
 * answer that hosts give to views and not to models. A decision needs it, and uses it up.
 */
export class Tickets {
  private readonly open = new Map<string, { ticket: Ticket; until: number }>();

  constructor(private readonly now: () => number = Date.now) {}

  issue(ticket: Ticket): { ticket: string; until: number } {
    const text = randomBytes(32).toString("base64url");
    const until = this.now() + TICKET_MS;
    this.open.set(text, { ticket, until });
    const [oldest] = this.open.keys();
    if (this.open.size > MAX_TICKETS && oldest !== undefined) this.open.delete(oldest);
    return { ticket: text, until };
  }

  /** What a ticket is for; null if it was never issued here, is used, forgotten or over. It does not count again. */
  take(text: string): Ticket | null {
    const found = this.open.get(text);
    this.open.delete(text);
    return found === undefined || found.until <= this.now() ? null : found.ticket;
  }
}

const byHolder = new WeakMap<object, Tickets>();

/**
 * The tickets of a session: each has a server of its own. Since 2026-07-28 there are no sessions over HTTP, and every request has
 * a server: there the tickets are those of the caller.
 */
export function ticketsOf({ server, extra, serverContext }: Pick<Call, "server" | "extra" | "serverContext">): Tickets {
  const holder = serverContext.callers?.(extra.authInfo?.clientId ?? "") ?? server;
  const known = byHolder.get(holder) ?? new Tickets();
  byHolder.set(holder, known);
  return known;
}
