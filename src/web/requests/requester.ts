import { activePerson } from "../../node/identity/signer";
import type { WebCaller, WebContext } from "../context/context";
import { actorOf } from "./actor";

/**
 * Who asks for what a request starts, if that is one of the project's people: the caller, or who is logged in on this machine.
 * That person does not decide its reviews, unless their terms say so.
 *
 * @throws NavigatorError `forbidden` for a caller who may not change the work of the project
 */
export function requesterOf({ web, caller }: { web: WebContext; caller: WebCaller }): string | undefined {
  const actor = actorOf({ web, caller });
  return activePerson(web.people(), actor) === undefined ? undefined : actor;
}
