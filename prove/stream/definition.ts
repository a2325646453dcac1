import { defineProof } from "../frame/proof";
import { STREAM_SIZES } from "./sizes";

/** `navigator prove stream`. Workers and the web server are processes of their own, because they are killed. */
export const streamProof = defineProof({
  name: "stream",
  promise: "what a reader heard is what was said, whoever is killed or cut off, and history does not grow by it",
  sizes: STREAM_SIZES,
  needsServer: () => true,
  exercised: ({ drops, kills }) => [
    "pieces",
    "tokens_read",
    ...(drops > 0 ? ["drops"] : []),
    ...(kills > 0 ? ["worker_kills", "web_kills", "retried"] : []),
  ],
  load: async () => (await import("./prove-stream")).proveStream(),
});
