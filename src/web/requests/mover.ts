import type { Context } from "hono";
import type { Mover } from "../../core/review/people/mover";
import type { WebCaller, WebContext, WebEnv } from "../context/context";
import { actorOf } from "./actor";

/**
 * Who moves a task through the API (approvals reference, section 1). Nobody has signed it, so where people are named only a
 * decision moves the task, whoever sends this.
 *
 * @throws NavigatorError `forbidden`
 */
export function moverOf({
  caller,
  web,
  request,
}: {
  caller: WebCaller;
  web: WebContext;
  request: Context<WebEnv>;
}): Mover {
  const isPerson = caller.person !== undefined || caller.isLocal === true;
  return {
    id: actorOf({ caller, web }),
    kind: isPerson ? "person" : "service",
    via: request.get("csrf") === undefined ? "http" : "page",
  };
}
