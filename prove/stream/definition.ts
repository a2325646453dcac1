import { defineProof } from "../frame/proof";
import { STREAM_SIZES } from "./sizes";

/** `navigator prove stream`. Workers and the web server are separate processes, because they are killed. */
export const streamProof = defineProof({
  name: "stream",
  promise:
    "a reader receives the text that the model sent, also after kills and lost connections, and history does not grow by it",
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
