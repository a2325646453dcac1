import type { RecordView } from "../../../../src/core/journal/view";
import type { MissionTree } from "../../api/types";
import { Value } from "../../parts/code";
import { Empty } from "../../parts/problem";
import { countText, Time } from "../../parts/text";
import { missionAddress } from "../../router";

const all = (tree: MissionTree): MissionTree[] => [tree, ...tree.children.flatMap(all)];

/** The Mission Log: one line for each record, in the order of recording. */
export function MissionLog({ rows }: { rows: readonly RecordView[] }) {
  if (rows.length === 0) return null;
  return (
    <section aria-label="Mission Log">
      <h2>Mission Log</h2>
      <ul class="mission-log">
        {rows.map(({ id, text, by }) => (
          <li key={id}>
            <span class="done" aria-hidden="true">
              ✓
            </span>{" "}
            <strong>{id}</strong>: {text} {!isOwn(by) && <span class="quiet">by {by}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

const isOwn = (by: string): boolean => by === "task" || by === "given";

const WRITERS: { readonly [by: string]: string } = { task: "its program", given: "given with the start" };

/** The records of the mission and of the runs below it, with who wrote each. */
export function Journal({ run }: { run: MissionTree }) {
  const runs = all(run).filter(({ projection }) => projection.rows.length > 0);
  if (runs.length === 0)
    return (
      <Empty title="The journal is empty.">
        <p>
          A program records with <code>(task "id" …)</code>, and people with a decision.
        </p>
      </Empty>
    );
  return (
    <section aria-label="Journal">
      {runs.map(({ workflow_id, projection }) => (
        <div key={workflow_id}>
          <h2>
            {workflow_id === run.workflow_id ? "Its records" : <a href={missionAddress(workflow_id)}>{workflow_id}</a>}
          </h2>
          <table class="table">
            <thead>
              <tr>
                <th>Record</th>
                <th>Value</th>
                <th>Written by</th>
                <th>At</th>
              </tr>
            </thead>
            <tbody>
              {projection.rows.map(({ id, value, text, bytes, by, at, note }) => (
                <tr key={id}>
                  <td>
                    <strong>{id}</strong>
                  </td>
                  <td>
                    {value === undefined ? (
                      <>
                        <code>{text}</code>{" "}
                        <span class="quiet">{bytes !== undefined && `${countText(bytes)} bytes, not shown whole`}</span>
                      </>
                    ) : (
                      <Value of={value} />
                    )}
                  </td>
                  <td>
                    {WRITERS[by] ?? by}
                    {note !== undefined && <div class="quiet">{note}</div>}
                  </td>
                  <td>
                    <Time at={at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ))}
    </section>
  );
}
