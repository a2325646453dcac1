import type { LedgerVerdict } from "../../../../src/core/history/export/verdict";
import { get, runPath } from "../../api/request";
import { Value } from "../../parts/code";
import { Show, useLoaded } from "../../parts/loaded";
import { countText } from "../../parts/text";
import { reviewAddress } from "../../router";

/** The ledger, checked by the server, and as a file that anybody can check. */
export function Ledger({ workflowId }: { workflowId: string }) {
  const verdict = useLoaded(`ledger ${workflowId}`, (signal) =>
    get<LedgerVerdict>(runPath(workflowId, "/ledger"), {}, signal),
  );
  return (
    <Show of={verdict} what="the ledger, and checking it">
      {({ ok, whole, problems, notes, counts, decisions }) => (
        <section aria-label="Ledger">
          <p>
            <span class={`state ${ok ? "state-completed" : "state-failed"}`}>{ok ? "valid" : "not valid"}</span>{" "}
            {ok
              ? `Nothing was changed, and each decision is valid${whole ? "." : ", as far as the ledger shows it."}`
              : `${countText(problems.length)} things are not valid.`}
          </p>
          <p>
            {countText(counts.links)} links, {countText(counts.effects)} effects, {countText(counts.decisions)}{" "}
            decisions ({countText(counts.verified)} verified), {countText(counts.signed_heads)} signed heads.
          </p>
          <p class="row">
            <a class="button" href={runPath(workflowId, "/ledger/export")} download>
              Save the ledger
            </a>
            <span class="quiet">
              Anybody can check the file: <code>navigator ledger verify FILE</code>
            </span>
            <button type="button" onClick={verdict.again}>
              Check again
            </button>
          </p>
          {problems.map(({ line, code, message }) => (
            <p class="problem" key={`${line} ${code}`}>
              Line {line}: {message} <code>{code}</code>
            </p>
          ))}
          {decisions.length > 0 && (
            <table class="table">
              <thead>
                <tr>
                  <th>Review</th>
                  <th>Decision</th>
                  <th>By</th>
                  <th>Signed by</th>
                </tr>
              </thead>
              <tbody>
                {decisions.map(({ line, review, title, choice, by, signed_by, note, args }) => (
                  <tr key={line}>
                    <td>
                      <a href={reviewAddress(review)}>{title}</a> {args !== undefined && <Value of={args} />}
                    </td>
                    <td>
                      {choice} {note !== undefined && <div class="quiet">{note}</div>}
                    </td>
                    <td>{by}</td>
                    <td>{signed_by ?? <span class="quiet">nobody</span>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {notes.length > 0 && (
            <ul class="quiet">
              {notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          )}
        </section>
      )}
    </Show>
  );
}
