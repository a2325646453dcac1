import * as z from "zod";
import { LONGEST_CALL_MS, READ, tool } from "../../context/tool";
import { Run, runId, waitForRun, waitSeconds } from "./watched-run";

export const getRunTool = tool({
  name: "get_run",
  title: "One run of an agent",
  description: "The state or result of a mission. Waits for its end with `waitSeconds`.",
  input: z.strictObject({ runId, waitSeconds: waitSeconds.default(0) }),
  data: Run,
  hints: READ,
  view: "mission",
  errors: ["not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: ({ runId: id, waitSeconds: seconds }, call) => waitForRun(id, call, seconds * 1000),
});
