import { defineProof } from "../frame/proof";
import { INBOX_SIZES } from "./sizes";

/** `navigator prove inbox`. */
export const inboxProof = defineProof({
  name: "inbox",
  promise: "every request ends by its rule",
  sizes: INBOX_SIZES,
  needsServer: ({ waiting }) => waiting > 0,
  exercised: ({ waiting }) => [
    ...(waiting > 0 ? ["list_workflows", "list_items"] : []),
    "decided",
    "defaults",
    "no_agreement",
    "withdrawn",
    "reminders",
    "escalations",
    "delegated",
    "hand_overs",
    "taken_back",
    "comments",
    "of_different_groups",
    "refused",
    "refused_for_the_one_who_asked",
    "postponed",
    "over_clock_changes",
    "restarts",
  ],
  load: async () => (await import("./prove-inbox")).proveInbox(),
});
