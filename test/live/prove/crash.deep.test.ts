import { crashProof } from "../../../src/prove/crash/definition";
import { runProof } from "../../../src/prove/frame/run-proof";

test("worker, server and MCP process are killed at many events, and every end is the same", async () => {
  const report = await runProof(crashProof, { seed: 1, sizes: { every: "40", victims: "worker,server,mcp" } });
  expect(report.violations).toEqual([]);
  // Four missions, and a walk whose process is killed during each of its calls.
  expect(report.figures).toMatchObject({ missions: 5, mcp_kills: 7 });
  expect(report.figures.worker_kills).toBeGreaterThan(0);
  expect(report.figures.server_kills).toBeGreaterThan(0);
});
