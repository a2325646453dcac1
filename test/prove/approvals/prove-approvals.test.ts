import { CALL_ATTACKS } from "../../../prove/approvals/call-attacks";
import { DECISION_ATTACKS } from "../../../prove/approvals/decision-attacks";
import { approvalsProof } from "../../../prove/approvals/definition";
import { PROCESS_ATTACKS } from "../../../prove/approvals/process-attacks";
import { runProof } from "../../../prove/frame/run-proof";

const WITHOUT_SERVER = { n: "0", calls: "0", races: "0", processes: "0" };

test("exports alone need no server", async () => {
  const report = await runProof(approvalsProof, {
    seed: 1,
    sizes: { ...WITHOUT_SERVER, exports: "40", sound: "5" },
  });
  expect(report).toMatchObject({ ok: true, figures: { damages_found: 40, sound_exports: 5, missions: 0 } });
});

test("every attack has a name of its own: a violation names it", () => {
  const all = [...DECISION_ATTACKS, ...CALL_ATTACKS, ...PROCESS_ATTACKS];
  const names = all.map((attack) => `${"surface" in attack ? attack.surface : ""} ${attack.name}`);
  expect(new Set(names).size).toBe(names.length);
});
