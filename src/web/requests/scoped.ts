import type { MiddlewareHandler } from "hono";
import { NavigatorError } from "../../core/base/navigator-error";
import { checkScopes, type Scope } from "../../node/identity/scopes";
import type { WebEnv } from "../context/context";

/** An operation of the table, as far as scopes need it. */
interface Operation {
  method: string;
  path: string;
  needs: readonly Scope[];
  below?: true;
}

/**
 * Refuses what a token's scopes do not allow (approvals reference, section 1). The rules are those of the table of
 * operations, which the document is made of. A path that the table lacks needs a token without scopes.
 */
export function scoped(operations: readonly Operation[]): MiddlewareHandler<WebEnv> {
  const rules = operations.map(({ method, path, needs, below }) => ({
    method: below ? null : method.toUpperCase(),
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}${below ? "(?:/.*)?" : ""}$`),
    needs,
  }));
  return async (c, next) => {
    const scopes = c.get("caller")?.scopes;
    if (scopes !== undefined) {
      const { path, method: sent } = c.req;
      const method = sent === "HEAD" ? "GET" : sent;
      // A path may fit several rules, `/api/tasks/{id}` and `/api/tasks/counts`: the token needs the scopes of each.
      const fitting = rules.filter((rule) => (rule.method ?? method) === method && rule.pattern.test(path));
      if (fitting.length === 0)
        throw new NavigatorError("forbidden", `A token with scopes may not send ${method} ${path}.`, {
          details: { needed: [], scopes: [...scopes] },
        });
      checkScopes([...new Set(fitting.flatMap(({ needs }) => needs))], scopes, `send ${method} ${path}`);
    }
    await next();
  };
}
