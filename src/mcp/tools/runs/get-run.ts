import * as z from "zod";
import { LONGEST_CALL_MS, READ, tool } from "../../context/tool";
import { Run, runId, waitForRun, waitSeconds } from "./watched-run";

export const getRunTool = tool({
  name: "get_run",
  title: "One run of an agent",
  description: "How a mission stands, or what it gave. Waits for its end if told to.",
  input: z.strictObject({ runId, waitSeconds: waitSeconds.default(0) }),
  data: Run,
  hints: READ,
  view: "mission",
  errors: ["not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: ({ runId: id, waitSeconds: seconds }, call) => waitForRun(id, call, seconds * 1000),
});
