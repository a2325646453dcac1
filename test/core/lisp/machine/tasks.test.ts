import type { Json } from "../../../../src/core/base/json";
import { LispError } from "../../../../src/core/lisp";
import { ended, evaluate, Paused, told } from "../run";

const journalOf = (entries: Record<string, Json> = {}) => new Map(Object.entries(entries));

describe("a task whose value cannot be recorded", () => {
  test("fails, and a branch that waits for the same id runs the task instead", () => {
    const journal = journalOf();
    const paused = new Paused(`(pmap (fn [i] (task "pay" (do (tool/echo {:n i}) (if (= i 1) inc i)))) [1 2])`, {
      journal,
    });
    expect(paused.calls).toEqual(["1"]);
    paused.answer("1");
    expect(paused.calls).toEqual(["2"]);
    paused.answer("2");
    expect(told(paused.end!)).toMatchObject({ text: "!! pmap_error", message: expect.stringMatching(/task "pay"/) });
    expect(journal).toEqual(journalOf({ pay: 2 }));
  });

  test("because the journal has no room for it leaves no branch waiting", () => {
    const journal = journalOf();
    const { set } = journal;
    journal.set = (id, value) => {
      if (value === "1") throw new LispError("memory_exceeded", "journal_full", "no room");
      return set.call(journal, id, value);
    };
    const paused = new Paused('(pmap (fn [i] (task "a" (tool/echo {:n i}))) [1 2])', { journal });
    expect(told(paused.answer("1").answer("2").end!)).toMatchObject({
      text: "!! pmap_error",
      message: "pmap: no room",
    });
    expect(journal).toEqual(journalOf({ a: "2" }));
  });
});

describe("branches that wait for each other's tasks", () => {
  const crossed = (ids: string) => `(pmap (fn [[a b]] (task a (do (tool/echo {:n a}) (task b (str a b))))) ${ids})`;

  test("are detected: one fails and names the ids, the other continues", () => {
    const journal = journalOf();
    const paused = new Paused(crossed('[["a" "b"] ["b" "a"]]'), { journal });
    expect(paused.calls).toEqual(["a", "b"]);
    paused.answer("b").answer("a");
    expect(paused.end).toMatchObject({
      outcome: {
        kind: "error",
        fail: {
          message: expect.stringMatching(/\(task "a" \.\.\.\) would wait for ever.*"a", "b"/),
          details: { code: "pmap_error", index: 1, cause: "task_deadlock", ids: ["a", "b"] },
        },
      },
    });
    expect(journal).toEqual(journalOf({ b: "ab", a: "ab" }));
  });

  test("in a circle of three, with one that only waits for the circle", () => {
    const journal = journalOf();
    const paused = new Paused(crossed('[["x" "a"] ["a" "b"] ["b" "c"] ["c" "a"]]'), { journal });
    paused.answer("x").answer("a").answer("b").answer("c");
    expect(paused.end).toMatchObject({ outcome: { fail: { details: { index: 3, ids: ["a", "b", "c"] } } } });
    expect([...journal.keys()]).toEqual(["c", "b", "a", "x"]);
  });

  test("through parallel sections inside the tasks", () => {
    const journal = journalOf();
    const paused = new Paused(
      `(pmap (fn [[a b]] (task a (do (tool/echo {:n a}) (pmap (fn [id] (task id id)) [b])))) [["a" "b"] ["b" "a"]])`,
      { journal },
    );
    paused.answer("a").answer("b");
    expect(paused.end).toMatchObject({ outcome: { fail: { details: { index: 1, cause: "pmap_error" } } } });
    expect([...journal.keys()].sort()).toEqual(["a", "b"]);
  });

  test("a task that waits for a task above it in its own branch is not a circle", () => {
    const journal = journalOf();
    expect(evaluate('(task "a" (pmap (fn [i] (task "a" i)) [1 2]))', { journal }).text).toBe("[1 1]");
    expect(journal.get("a")).toEqual([1, 1]);
  });
});

describe("a record that is made from outside while the task runs", () => {
  test("stands and is the task's value, and one warning lists what the tasks gave", () => {
    const journal = journalOf();
    const paused = new Paused(
      `[(task "a" (str "own " (tool/echo {:n 1}))) (task "b" (do (tool/echo {:n 2}) {:own #{2}})) (task "c" 3)]`,
      { journal },
    );
    journal.set("a", { decided: true });
    paused.answer("1");
    journal.set("b", "B");
    paused.answer("2");
    expect(told(paused.end!).text).toBe('[{"decided" true} "B" 3]');
    expect(journal).toEqual(journalOf({ a: { decided: true }, b: "B", c: 3 }));
    expect(paused.end!.warnings).toEqual([
      { code: "recorded_meanwhile", message: expect.stringMatching(/"a".*"own 1".*"b".*\{:own #\{2\}\}/) },
    ]);
  });

  test("stands also when the task's own value could not be recorded", () => {
    const journal = journalOf();
    const paused = new Paused(`(task "a" (do (tool/echo {:n 1}) inc))`, { journal });
    journal.set("a", 5);
    expect(told(paused.answer("1").end!).text).toBe("5");
  });

  test("is not the record of an inner task with the same id: then the outer value is recorded as usual", () => {
    const journal = journalOf();
    const end = ended(`(task "a" (inc (task "a" (inc (task "a" 1)))))`, { journal });
    expect(told(end).text).toBe("3");
    expect(journal.get("a")).toBe(3);
    expect(end.warnings).toEqual([]);
  });

  test("also stands when it replaced the one of an inner task", () => {
    const journal = journalOf();
    const paused = new Paused(`(task "a" [(task "a" 1) (tool/echo {:n 1})])`, { journal });
    expect(journal.get("a")).toBe(1);
    journal.set("a", 9);
    expect(told(paused.answer("1").end!).text).toBe("9");
    expect(journal.get("a")).toBe(9);
  });

  test("is taken by a branch that waited for the task", () => {
    const journal = journalOf();
    const paused = new Paused(`(pmap (fn [i] (task "a" (tool/echo {:n i}))) [1 2])`, { journal });
    journal.set("a", "decided");
    expect(told(paused.answer("1").end!).text).toBe('["decided" "decided"]');
  });
});
