import { approvalsProof } from "../../../prove/approvals/definition";
import { runProof } from "../../../prove/frame/run-proof";
import { testAddress } from "../../support/environment";

test("the command and MCP take decisions of people who are there, and no others", async () => {
  const report = await runProof(approvalsProof, {
    seed: 3,
    sizes: { n: "0", calls: "0", races: "0", processes: "1", exports: "0", sound: "0" },
    connect: async () => ({ address: testAddress(), namespace: "default" }),
  });
  expect(report.violations).toEqual([]);
  expect(report.figures).toMatchObject({ missions: 1, controls: 3, charges: 1 });
});
