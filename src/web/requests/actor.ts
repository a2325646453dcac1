import { NavigatorError } from "../../core/base/navigator-error";
import { hasPeople } from "../../core/review/people/people-file";
import type { WebCaller, WebContext } from "../context/context";

/** The user of the machine of the server, where nobody is logged in. */
const LOCAL_USER = "the user of this machine";

/**
 * Under which name a caller pauses, ends or repeats work; the history has it. In a project with people these are its people, its
 * services, and the user of the machine of the server; in one without, whoever is let in.
 *
 * @throws NavigatorError `forbidden`
 */
export function actorOf({ web, caller }: { web: Pick<WebContext, "people" | "signerOf">; caller: WebCaller }): string {
  if (caller.person !== undefined) return caller.person;
  if (caller.isLocal) {
    const signer = web.signerOf(caller);
    return "person" in signer ? signer.person : LOCAL_USER;
  }
  if (caller.id.startsWith("service:") || !hasPeople(web.people())) return caller.id;
  throw new NavigatorError("forbidden", "Only people and services of the project change its work.", {
    hint: "Log in as one of them, or send their token: navigator token create NAME",
  });
}
