import { z } from "zod";
import type { Json } from "../core/base/json";

/** What an event of another system records, and for which mission. */
export interface HookEvent {
  /** The mission that waits: `order-42`. */
  mission: string;
  /** The journal id: `payment_42`. */
  record: string;
  /** Default: the body of the event. */
  value?: Json;
  note?: string;
}

/** How an event becomes a record. null: it is none of ours. */
export type ReadHookEvent = (body: Json, headers: { readonly [name: string]: string }) => HookEvent | null;

/** The ways in which senders sign: Standard Webhooks, GitHub and Stripe. */
export const HOOK_SIGNATURES = ["standard", "github", "stripe"] as const;

/** Senders of events that wake missions, by name: `POST /api/hooks/NAME` (web reference, section 15). */
export const HookSettings = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "must be lower-case letters, digits and -"),
  z
    .strictObject({
      signed: z.enum(HOOK_SIGNATURES, `must be one of ${HOOK_SIGNATURES.join(", ")}`),
      secret_env: z.string("must be the name of an environment variable").min(1, "must not be empty"),
      event: z
        .custom<ReadHookEvent>((value) => typeof value === "function", "must be a function of the body and the headers")
        .optional(),
      address_unsigned: z.literal(true, "must be true, or left out").optional(),
    })
    .refine(({ event, address_unsigned }) => (event === undefined) === (address_unsigned === true), {
      error:
        "must have either event, or address_unsigned: true for a mission that the address names, which no signature covers",
    }),
  "must be a map of senders",
);
export type HookSettings = z.output<typeof HookSettings>;
