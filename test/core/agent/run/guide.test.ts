import { openRun } from "../../../../src/core/agent/run/run";
import { agentOf, endOf, hostOf, type MissionEnd, missionLogIn, progressIn, run } from "./mission";

/** The Navigator guide, example by example, on the in-memory host. */
const ORDER = {
  name: "order",
  prompt: "Process order {{order_id}}: charge card, then ship item",
  signature: "(order_id :int) -> {status :keyword}",
};
const TOOLS = { charge_card: "tx_abc", ship_item: "parcel_1" };
const CHARGE = '(task "charge_order_42" (tool/charge_card {:order_id 42}))';
const SHIP = '(task "ship_order_42" (tool/ship_item {:tx_id "tx_abc"}))';
const order = (says: string[], journal: object | null): Promise<MissionEnd> =>
  run({ agent: ORDER, context: { order_id: 42 }, journal: journal as null, tools: TOOLS, says });

test("first run: the journal contains the finished tasks, and the mission waits", async () => {
  const { step, called } = await order([`(do ${CHARGE} (return {:status :waiting}))`], {});
  expect(step).toMatchObject({ return: { status: "waiting" }, fail: null, journal: { charge_order_42: "tx_abc" } });
  expect(called).toEqual(["charge_card"]);
});

test("external event and re-invocation: recorded tasks are read, not repeated", async () => {
  const first = await order([`(do ${CHARGE} (return {:status :waiting}))`], {});
  const journal = { ...first.step.journal, payment_confirmed_42: true };
  const program = `(do ${CHARGE} (if (task "payment_confirmed_42" nil) ${SHIP} (fail "unpaid")) (return {:status :shipped}))`;
  const { step, called, systems } = await order([program], journal);
  expect(step.return).toEqual({ status: "shipped" });
  expect(called).toEqual(["ship_item"]);
  expect(step.journal).toEqual({ ...journal, ship_order_42: "parcel_1" });
  expect(missionLogIn(systems[0] as string)).toBe(
    '## Mission Log (Completed Tasks)\n- [done] charge_order_42: "tx_abc"\n- [done] payment_confirmed_42: true',
  );
});

test("a recorded nil counts as recorded", async () => {
  const { step, called } = await order([`(do ${CHARGE} (return {:status :waiting}))`], { charge_order_42: null });
  expect(called).toEqual([]);
  expect(step.journal).toEqual({ charge_order_42: null });
});

test("an id may be computed from data", async () => {
  const program = '(do (task (str "charge_order_" data/order_id) (tool/charge_card {})) (return {:status :done}))';
  expect((await order([program], {})).step.journal).toEqual({ charge_order_42: "tx_abc" });
});

test("a failing task is not recorded, and a later turn may run it", async () => {
  const attempts: number[] = [];
  const charge_card = () => {
    attempts.push(1);
    const fail = { reason: "tool_error" as const, message: "card declined" };
    return attempts.length === 1 ? { ok: false as const, fail } : { ok: true as const, value: "tx_2" };
  };
  const program = `(do ${CHARGE} (return {:status :done}))`;
  const { step } = await run({
    agent: ORDER,
    context: { order_id: 42 },
    journal: {},
    tools: { charge_card },
    says: [program, program],
  });
  expect(step.turns?.map((turn) => turn.success)).toEqual([false, true]);
  expect(step.turns?.[0]?.result).toMatchObject({ reason: "tool_error" });
  expect(step.journal).toEqual({ charge_order_42: "tx_2" });
});

test("failure: the journal contains the records made before it", async () => {
  const { step } = await order([`(do ${CHARGE} (fail {:reason :not_found :message "no such item"}))`], {});
  expect(step).toMatchObject({
    return: null,
    fail: { reason: "not_found", message: "no such item", details: { user_fail: true } },
    journal: { charge_order_42: "tx_abc" },
  });
});

test("failure inside a task records nothing for it", async () => {
  const { step } = await order([`(task "charge_order_42" (do (tool/charge_card {}) (fail "refused")))`], {});
  expect(step).toMatchObject({ fail: { reason: "failed", message: "refused" }, journal: {} });
});

test("reset: a forgotten task runs again, and its record moves to the end of the log", async () => {
  const again = `(do (task-reset "charge_order_42") ${CHARGE} (return {:status :done}))`;
  const { step, called } = await order([again], { charge_order_42: "tx_old", payment_confirmed_42: true });
  expect(called).toEqual(["charge_card"]);
  expect(Object.entries(step.journal ?? {})).toEqual([
    ["payment_confirmed_42", true],
    ["charge_order_42", "tx_abc"],
  ]);
});

test("reset of an unknown id, or without a journal, does nothing and gives nil", async () => {
  const program = '(return {:status (if (= nil (task-reset "never_done")) :nil :odd)})';
  expect((await order([program], {})).step).toMatchObject({ return: { status: "nil" }, journal: {} });
  expect((await order([program], null)).step).toMatchObject({ return: { status: "nil" }, journal: null, warnings: [] });
});

test("no journal: tasks run unrecorded, with one warning, however many there are", async () => {
  const { step, called, systems } = await order([`(do ${CHARGE} ${CHARGE} (return {:status :done}))`], null);
  expect(called).toEqual(["charge_card", "charge_card"]);
  expect(step.journal).toBeNull();
  expect(step.warnings).toEqual([{ code: "missing_journal", message: expect.stringContaining("charge_order_42") }]);
  expect(systems[0]).not.toContain("## Journal");
});

test("a journal inside the context is used, hidden from the data, and reported", async () => {
  const { step, heard, called } = await run({
    agent: { prompt: "Order {{order_id}}" },
    context: { order_id: 42, journal: { charge_order_42: "tx_abc" } },
    tools: TOOLS,
    says: [`(return ${CHARGE})`],
  });
  expect(called).toEqual([]);
  expect(step.journal).toEqual({ charge_order_42: "tx_abc" });
  expect(heard[0]).not.toContain("data/journal");
  expect(step.warnings).toMatchObject([{ code: "journal_in_context" }]);
});

test("records survive a program that ends in an error later in the same turn", async () => {
  const { step, called } = await order([`(do ${CHARGE} (+ 1 "x"))`, `(do ${CHARGE} (return {:status :done}))`], {});
  expect(step.turns?.[0]).toMatchObject({ success: false });
  expect(called).toEqual(["charge_card"]);
  expect(step.journal).toEqual({ charge_order_42: "tx_abc" });
});

test("the worked example: hold, mail, mail with an address", async () => {
  const mails: object[] = [];
  const { step, heard, logs, called } = await run({
    agent: {
      plan: [
        ["hold", "Hold stock"],
        ["mail", "Mail customer"],
      ],
    },
    journal: {},
    tools: {
      hold: "h1",
      mail: (args) => {
        mails.push(args);
        if (args.to === undefined) return { ok: false, fail: { reason: "tool_error", message: "no address" } };
        return { ok: true, value: true };
      },
    },
    says: [
      '(do (task "hold_sku7_x2" (tool/hold {:sku 7 :qty 2})) (step-done "hold" "2 held") (tool/mail {}))',
      '(do (task "hold_sku7_x2" (tool/hold {:sku 7 :qty 2})) (step-done "hold" "2 held") (tool/mail {:to "a@b.c"}))',
      '(do (step-done "mail" "sent") (return true))',
    ],
  });
  expect(called).toEqual(["hold", "mail", "mail"]);
  expect(mails).toEqual([{}, { to: "a@b.c" }]);
  expect(logs).toEqual([
    "",
    '## Mission Log (New Records)\n- [done] hold_sku7_x2: "h1"',
    '## Mission Log (New Records)\n- [done] hold_sku7_x2: "h1"',
  ]);
  expect(heard.map(progressIn)).toEqual([
    "## Progress\n- [ ] Hold stock\n- [ ] Mail customer",
    "",
    "## Progress\n- [x] Hold stock — 2 held\n- [ ] Mail customer",
  ]);
  expect(step.summaries).toEqual({ hold: "2 held", mail: "sent" });
});

test("invoked again on a live journal, the mission starts over and sees the new decisions", async () => {
  const says = [
    `(do ${CHARGE} (return {:status :waiting}))`,
    '(return {:status (if (task "paid" false) :shipped :odd)})',
  ].map((program) => `\`\`\`clojure\n${program}\n\`\`\``);
  const host = hostOf(says, TOOLS);
  const run1 = openRun(host, {
    agent: agentOf({ ...ORDER, tools: ["charge_card"] }),
    context: { order_id: 42 },
    journal: {},
    model: "scripted",
  });
  const changes: string[] = [];
  run1.journal?.onChange((change) => changes.push(change.kind === "reset" ? change.id : change.record.id));
  await run1.turn();
  run1.journal?.record({ id: "paid", value: true, by: "bank" });
  const run2 = run1.reinvoked();
  const step = await run2.turn();
  expect(step).toMatchObject({ return: { status: "shipped" }, journal: { charge_order_42: "tx_abc", paid: true } });
  expect(step?.usage).toMatchObject({ turns: 1, llm_requests: 2 });
  expect(endOf(step as never, host).systems[1]).toContain("- [done] paid: true");
  expect(changes).toEqual(["charge_order_42", "paid"]);
});
