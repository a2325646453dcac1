import { useState } from "preact/hooks";
import type { JsonObject } from "../../../../src/core/base/json";
import type { CallToAnswer, GivenAnswer } from "../../../../src/web/playground/playground-calls";
import { post } from "../../api/request";
import { Program, Value } from "../../parts/code";
import { Confirm } from "../../parts/dialog";
import { ProblemNote } from "../../parts/problem";
import { countText } from "../../parts/text";
import { setQuery } from "../../router";
import { ScrolledText } from "../mission/scrolled-text";
import { JsonField, readJsonObject } from "../start/json-field";
import { AgentChoice } from "./agent-choice";
import { Call } from "./call";
import { answerOfCall, callText, type OwnAnswers, type ProgramRun } from "./program-run";

const FIRST = "; data/NAME reads the data, (tool/NAME {:argument value}) calls a tool.\n(+ 1 2)\n";
/** Longer programs are not kept in the address. */
const MAX_IN_ADDRESS = 2_000;
const NO_ANSWERS: OwnAnswers = { calls: [], tools: {} };

/** A program of PTC-Lisp with the project's tools: made-up answers, own answers, or the tools themselves. */
export function ProgramTab({ agent, code }: { agent: string; code: string | null }) {
  const [program, setProgram] = useState(code ?? FIRST);
  const [data, setData] = useState("{}");
  const [isReal, setReal] = useState(false);
  const [own, setOwn] = useState(NO_ANSWERS);
  const [state, setState] = useState<{ isBusy?: boolean; done?: ProgramRun; error?: unknown; asks?: CallToAnswer[] }>(
    {},
  );
  const read = readJsonObject(data);

  /** @param again what is agreed to, and what was answered already: nothing that was done is done again */
  const run = async (again?: {
    run: string;
    answers: GivenAnswer[];
    confirmed_effects: { tool: string; args: JsonObject }[];
  }) => {
    if (!("value" in read)) return;
    setState({ isBusy: true });
    setQuery({ code: program.length <= MAX_IN_ADDRESS && program !== FIRST ? program : undefined });
    try {
      const done = await post<ProgramRun>("/api/playground/program", {
        program,
        data: read.value,
        real: isReal,
        journal: {},
        stubs: own.tools,
        answers: [...own.calls, ...(again?.answers ?? [])],
        confirmed_effects: again?.confirmed_effects ?? [],
        run: again?.run ?? crypto.randomUUID(),
        ...(agent === "" ? {} : { agent }),
      });
      const asks = done.would_run.every(({ why }) => why === "effect") ? done.would_run : [];
      setState(asks.length > 0 ? { done, asks } : { done });
    } catch (error) {
      setState({ error });
    }
  };
  const { done, asks } = state;
  const confirm = () => {
    if (done === undefined || asks === undefined) return;
    const answered = done.calls.filter(({ from }) => from === "real" || from === "given").map(answerOfCall);
    const ownTexts = new Set(own.calls.map(callText));
    void run({
      run: done.run,
      answers: answered.filter((one) => !ownTexts.has(callText(one))),
      confirmed_effects: asks.map(({ tool, args }) => ({ tool, args })),
    });
  };
  const answerCall = (answer: GivenAnswer) =>
    setOwn({ ...own, calls: [...own.calls.filter((one) => callText(one) !== callText(answer)), answer] });
  const answerTool = (tool: string, value: OwnAnswers["tools"][string]["value"]) =>
    setOwn({ ...own, tools: { ...own.tools, [tool]: { kind: "const", value } } });
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <AgentChoice agent={agent} none="None: all tools of the project" />
        <div class="two">
          <div class="field">
            <label for="playground-program">Program</label>
            <textarea
              id="playground-program"
              class="editor"
              spellcheck={false}
              value={program}
              aria-describedby="playground-program-note"
              onInput={(event) => setProgram(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
                event.preventDefault();
                void run();
              }}
            />
            <p class="note" id="playground-program-note">
              Ctrl and Enter run it.
            </p>
          </div>
          <section aria-label="The program in colours">
            <Program code={program} />
          </section>
        </div>
        <JsonField
          id="playground-data"
          label="Data, as JSON"
          text={data}
          changed={setData}
          problem={"problem" in read ? read.problem : undefined}
          rows={3}
        />
        <Answers own={own} setOwn={setOwn} />
        <p class="row">
          <button type="submit" class="main" disabled={state.isBusy === true || "problem" in read}>
            {state.isBusy ? "Running …" : "Run"}
          </button>
          <label class="check">
            <input type="checkbox" checked={isReal} onChange={(event) => setReal(event.currentTarget.checked)} />
            Call the tools for real
          </label>
          <span class="quiet">
            {isReal ? "Calls with effects are asked about first." : "Calls are answered with made-up values."}
          </span>
        </p>
      </form>
      {state.error !== undefined && <ProblemNote error={state.error} />}
      {done !== undefined && <Result done={done} answerCall={answerCall} answerTool={answerTool} />}
      {asks !== undefined && (
        <Confirm
          title="Do this for real?"
          text={<WaitingCalls calls={asks} />}
          action={asks.length === 1 ? "Make this call" : `Make these ${asks.length} calls`}
          confirm={confirm}
          close={() => setState({ ...(done === undefined ? {} : { done }) })}
        />
      )}
    </>
  );
}

function WaitingCalls({ calls }: { calls: readonly CallToAnswer[] }) {
  return (
    <ul>
      {calls.map((call) => (
        <li key={callText(call)}>
          <strong>{call.tool}</strong> {call.effect === "irreversible" ? "cannot be taken back" : "changes something"}:{" "}
          <code class="value">{JSON.stringify(call.args)}</code>
        </li>
      ))}
    </ul>
  );
}

function Result({
  done,
  answerCall,
  answerTool,
}: {
  done: ProgramRun;
  answerCall: (answer: GivenAnswer) => void;
  answerTool: (tool: string, value: OwnAnswers["tools"][string]["value"]) => void;
}) {
  const { ok, fail, prints, calls, would_run, warnings, steps } = done;
  const isWaiting = done.status === "needs_confirmation";
  return (
    <section aria-labelledby="playground-result">
      <h2 id="playground-result">Result</h2>
      <div role="status">
        {isWaiting ? (
          <p>
            <span class="state state-waiting">not over</span> It stopped before calls with effects. None of them was
            made.
          </p>
        ) : fail !== undefined ? (
          <div class="problem">
            <p>
              <strong>{fail.message}</strong>
            </p>
            <p class="quiet">
              <code>{fail.reason}</code> {fail.line !== undefined && `line ${fail.line}, column ${fail.column}`}
            </p>
          </div>
        ) : (
          <Value of={ok ?? null} open />
        )}
      </div>
      {steps !== undefined && <p class="quiet">{countText(steps)} steps</p>}
      {warnings.map(({ code, message }) => (
        <p key={code} class="quiet">
          <code>{code}</code> {message}
        </p>
      ))}
      {prints.length > 0 && (
        <>
          <h3>Printed</h3>
          <ScrolledText label="Printed lines">{prints.join("\n")}</ScrolledText>
        </>
      )}
      {would_run.length > 0 && (
        <>
          <h3>Not made</h3>
          {would_run.map((call) => (
            <Call key={callText(call)} call={call} answerCall={answerCall} answerTool={answerTool} />
          ))}
        </>
      )}
      {calls.length > 0 && (
        <>
          <h3>Calls</h3>
          {calls.map((call, i) => (
            <Call
              // biome-ignore lint/suspicious/noArrayIndexKey: the same call may come twice, and calls keep their order
              key={`${i} ${callText(call)} ${JSON.stringify(call.ok)}`}
              call={call}
              answerCall={answerCall}
              answerTool={answerTool}
            />
          ))}
        </>
      )}
    </section>
  );
}

/** What is used instead of made-up answers, and how to leave it. */
function Answers({ own, setOwn }: { own: OwnAnswers; setOwn: (own: OwnAnswers) => void }) {
  const tools = Object.entries(own.tools);
  if (own.calls.length === 0 && tools.length === 0) return null;
  return (
    <section aria-label="Own answers">
      <h2>Own answers</h2>
      <ul>
        {own.calls.map((one) => (
          <li key={callText(one)}>
            <code>{callText(one)}</code> <Value of={"ok" in one ? one.ok : one.error} />{" "}
            <button
              type="button"
              onClick={() => setOwn({ ...own, calls: own.calls.filter((other) => other !== one) })}
              aria-label={`Forget the answer of ${callText(one)}`}
            >
              Forget
            </button>
          </li>
        ))}
        {tools.map(([tool, { value }]) => (
          <li key={tool}>
            every call of <code>{tool}</code> <Value of={value} />{" "}
            <button
              type="button"
              onClick={() => setOwn({ ...own, tools: Object.fromEntries(tools.filter(([name]) => name !== tool)) })}
              aria-label={`Forget the answer of ${tool}`}
            >
              Forget
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
