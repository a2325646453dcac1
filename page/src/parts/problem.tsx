import { RequestError } from "../api/request";

/** What went wrong: its code, what helps, and a way to try again. */
export function ProblemNote({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  const problem = error instanceof RequestError ? error.problem : undefined;
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{problem?.detail ?? (error instanceof Error ? error.message : String(error))}</strong>
      </p>
      {problem?.hint && <p>{problem.hint}</p>}
      <p class="quiet">
        {problem && <code>{problem.code}</code>}{" "}
        {again && (
          <button type="button" onClick={again}>
            Try again
          </button>
        )}
      </p>
    </div>
  );
}

/** Nothing is here: why, and what to do next. */
export function Empty({ title, children }: { title: string; children?: preact.ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}
