import { COST_GROUPS, type CostGroup, type CostReport, type CostRow } from "../../../../src/client/costs/cost-report";
import type { ReservedBudget } from "../../../../src/client/costs/reserved-budgets";
import { get } from "../../api/request";
import { Show, useLoaded } from "../../parts/loaded";
import { Empty } from "../../parts/problem";
import { countText, moneyText, Time } from "../../parts/text";
import { addressWith, missionAddress, type Place, setQuery } from "../../router";
import { DayChart } from "./day-chart";
import { type CostRange, DAYS, dayText, rangeOf } from "./range";
import "./costs.css";

interface Costs extends CostReport {
  is_complete: boolean;
  budgets: ReservedBudget[];
  budgets_unknown: number;
}

const EVERY_MS = 15_000;
const GROUP_NAMES: { readonly [group in CostGroup]: string } = {
  day: "By day",
  agent: "By agent",
  model: "By model",
  mission: "By mission",
};

/** What missions cost, in the time and the groups of the address. */
export function CostsView({ place: { query } }: { place: Place }) {
  const range = rangeOf(query, Date.now());
  const asked = query.get("by");
  const by = COST_GROUPS.find((group) => group === asked) ?? "day";
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { from, to } = range;
  const costs = useLoaded(
    `costs ${by} ${from} ${to}`,
    (signal) => get<Costs>("/api/costs", { by, from, to, zone }, signal),
    { everyMs: EVERY_MS },
  );
  return (
    <div class="costs">
      <h1>Costs</h1>
      <Range range={range} />
      <nav class="tabs" aria-label="Group by">
        {COST_GROUPS.map((group) => (
          <a key={group} href={addressWith({ by: group })} aria-current={group === by ? "page" : undefined}>
            {GROUP_NAMES[group]}
          </a>
        ))}
      </nav>
      <Show of={costs} what="the costs">
        {(found) => (
          <>
            <Totals of={found} />
            {found.rows.length === 0 ? (
              <NoCosts of={found} />
            ) : (
              <>
                {by === "day" && <DayChart rows={found.rows} range={range} />}
                <Rows rows={by === "day" ? found.rows.toReversed() : found.rows} by={by} more={found.more_rows} />
              </>
            )}
            <Budgets of={found} />
          </>
        )}
      </Show>
    </div>
  );
}

function Range({ range }: { range: CostRange }) {
  const [first, last] = [dayText(range.from), dayText(range.to - 1)];
  const choose = (from: string, to: string) => {
    if (from !== "" && to !== "") setQuery({ from, to, days: undefined });
  };
  return (
    <div class="row range">
      <nav class="row" aria-label="Time">
        {DAYS.map((days) => (
          <a
            key={days}
            class="button"
            href={addressWith({ days: String(days), from: undefined, to: undefined })}
            aria-current={range.days === days ? "page" : undefined}
          >
            {days === 1 ? "Today" : `${days} days`}
          </a>
        ))}
      </nav>
      <label>
        From{" "}
        <input
          type="date"
          value={first}
          max={last}
          onChange={(event) => choose(event.currentTarget.value, laterOf(last, event.currentTarget.value))}
        />
      </label>
      <label>
        to <input type="date" value={last} min={first} onChange={(event) => choose(first, event.currentTarget.value)} />
      </label>
    </div>
  );
}

const laterOf = (a: string, b: string): string => [a, b].sort()[1] as string;

/** The tokens that came from caches, and which part of the input they are. */
function cachedText({ cached_tokens, input_tokens }: { cached_tokens: number; input_tokens: number }): string {
  const part = input_tokens === 0 ? "" : ` (${Math.round((cached_tokens / input_tokens) * 100)} %)`;
  return `${countText(cached_tokens)}${part}`;
}

function Totals({ of: { total, unknown, running, is_complete } }: { of: Costs }) {
  return (
    <>
      <dl class="totals">
        <Total name="Cost" text={moneyText(total.cost)} />
        <Total name="Missions" text={countText(total.missions)} />
        <Total name="Turns" text={countText(total.turns)} />
        <Total name="Tokens in" text={countText(total.input_tokens)} />
        <Total name="of them cached" text={cachedText(total)} />
        <Total name="Tokens out" text={countText(total.output_tokens)} />
      </dl>
      <ul class="quiet notes">
        {!is_complete && (
          <li>
            <strong>Not all missions are counted:</strong> there are more than this server reads. Choose a shorter time.
          </li>
        )}
        {(total.unpriced ?? 0) > 0 && (
          <li>
            {many(total.unpriced ?? 0, "answer is from a model", "answers are from models")} whose price is not known:
            counted as $0.
          </li>
        )}
        {running > 0 && (
          <li>{many(running, "mission still runs", "missions still run")}, and reported usage at the last wait.</li>
        )}
        {unknown > 0 && (
          <li>
            {many(unknown, "mission does", "missions do")} not report usage: tasks without agents, and missions that
            have not waited yet.
          </li>
        )}
      </ul>
    </>
  );
}

const many = (n: number, one: string, more: string): string => `${countText(n)} ${n === 1 ? one : more}`;

function Total({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );
}

function NoCosts({ of: { unknown } }: { of: Costs }) {
  return (
    <Empty title={unknown > 0 ? "No mission of this time reports its costs yet." : "Nothing was started in this time."}>
      <p>
        Choose a longer time, or <a href="/start">start a mission</a>: its costs are here when it ends.
      </p>
    </Empty>
  );
}

function Rows({ rows, by, more }: { rows: readonly CostRow[]; by: CostGroup; more: number }) {
  const most = Math.max(...rows.map(({ cost }) => cost));
  const title = { day: "Day", agent: "Agent or graph", model: "Model", mission: "Mission" }[by];
  return (
    <>
      <table class="table">
        <caption class="quiet">{GROUP_NAMES[by]}, in US dollars</caption>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col" class="number">
              Cost
            </th>
            {by !== "mission" && (
              <th scope="col" class="number">
                Missions
              </th>
            )}
            <th scope="col" class="number">
              Turns
            </th>
            <th scope="col" class="number">
              Tokens in
            </th>
            <th scope="col" class="number">
              Cached
            </th>
            <th scope="col" class="number">
              Tokens out
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.kind} ${row.key} ${row.started_at}`}>
              <th scope="row">
                <Name row={row} by={by} />
              </th>
              <td class="number" data-label="Cost">
                {moneyText(row.cost)}
                {by !== "day" && most > 0 && (
                  <meter class="share" min={0} max={most} value={row.cost} aria-hidden="true" />
                )}
              </td>
              {by !== "mission" && (
                <td class="number" data-label="Missions">
                  {countText(row.missions)}
                </td>
              )}
              <td class="number" data-label="Turns">
                {countText(row.turns)}
              </td>
              <td class="number" data-label="Tokens in">
                {countText(row.input_tokens)}
              </td>
              <td class="number" data-label="Cached">
                {countText(row.cached_tokens)}
              </td>
              <td class="number" data-label="Tokens out">
                {countText(row.output_tokens)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && (
        <p class="quiet">{many(more, "more row is", "more rows are")} not shown. The sums above have all.</p>
      )}
    </>
  );
}

function Name({ row: { key, kind, started_at, is_running }, by }: { row: CostRow; by: CostGroup }) {
  if (by === "mission")
    return (
      <>
        <a href={missionAddress(key)}>{key}</a>{" "}
        <span class="quiet">
          {started_at !== undefined && <Time at={started_at} />}
          {is_running && ", still runs"}
        </span>
      </>
    );
  if (by === "model") return key === "" ? <span class="quiet">not reported by the provider</span> : <code>{key}</code>;
  if (by === "day") return <>{key}</>;
  if (kind === "plan") return <a href="/missions?kind=plan">Plans</a>;
  const filter = kind === "task" ? "graph" : "agent";
  return (
    <>
      <a href={`/missions?${new URLSearchParams({ kind: kind ?? "agent", [filter]: key })}`}>
        {key || "without a name"}
      </a>{" "}
      {kind === "task" && <span class="quiet">graph</span>}
    </>
  );
}

function Budgets({ of: { budgets, budgets_unknown } }: { of: Costs }) {
  return (
    <section aria-labelledby="budgets">
      <h2 id="budgets">Budgets of running missions</h2>
      {budgets.length === 0 ? (
        <p class="quiet">No running mission of this time reports a budget.</p>
      ) : (
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Mission</th>
              <th scope="col">Spent</th>
              <th scope="col">Reserved now</th>
              <th scope="col">Limit</th>
            </tr>
          </thead>
          <tbody>
            {budgets.map(({ workflow_id, agent, limit, spent, reserved, closed }) => (
              <tr key={workflow_id}>
                <th scope="row">
                  <a href={missionAddress(workflow_id)}>{agent ?? workflow_id}</a>{" "}
                  {closed && <span class="state state-failed">not topped up</span>}
                </th>
                <td data-label="Spent">{amountOf(spent, limit)}</td>
                <td data-label="Reserved now">{amountOf(reserved, limit)}</td>
                <td data-label="Limit">{amountOf({ tokens: limit.tokens ?? 0, cost: limit.cost ?? 0 }, limit)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {budgets_unknown > 0 && (
        <p class="quiet">
          {countText(budgets_unknown)} running missions did not report whether they have one: no worker answered in
          time, or there are too many to ask.
        </p>
      )}
    </section>
  );
}

/** Only what is limited. */
function amountOf(amount: { tokens: number; cost: number }, limit: ReservedBudget["limit"]): string {
  const parts = [
    ...(limit.cost === null ? [] : [moneyText(amount.cost)]),
    ...(limit.tokens === null ? [] : [`${countText(amount.tokens)} tokens`]),
  ];
  return parts.join(", ");
}
