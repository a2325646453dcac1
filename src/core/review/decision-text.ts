import { canonicalJson } from "../effects/canonical-json";
import type { Decision } from "./decision-input";

/** The version of the text that decisions sign. */
const VERSION = 1;

/**
 * The text that the signature of a decision covers, as RFC 8785 canonical JSON: all fields of the decision, and the seal of
 * what it is about (approvals reference, section 4).
 */
export function decisionText({ review, seal, choice, value, note, by, kind, via, time, nonce }: Decision): string {
  return canonicalJson({
    v: VERSION,
    review,
    seal: seal ?? null,
    choice,
    value: value ?? null,
    note: note ?? null,
    by,
    kind: kind ?? "person",
    via: via ?? "library",
    time: time ?? null,
    nonce: nonce ?? null,
  });
}
