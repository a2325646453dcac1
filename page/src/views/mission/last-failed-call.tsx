import type { LastCallThatFailed } from "../../../../src/core/history/why/last-failed-call";
import { turnAddress } from "../../router";

/** The last call that failed before the end, or before it came to a stop: what went wrong later may have begun there. */
export function LastFailedCall({ call }: { call: LastCallThatFailed }) {
  const { tool, args, message, workflow_id, turn, invocation } = call;
  return (
    <p class="last-failed-call">
      The last call that failed: <code class="call-name">{tool}</code>
      {args !== undefined && (
        <>
          {" "}
          <code>{args}</code>
        </>
      )}
      : <span class="turn-error">{message}</span> (
      <a href={turnAddress(workflow_id, turn, invocation)}>
        turn {turn}, in {workflow_id}
      </a>
      )
    </p>
  );
}
