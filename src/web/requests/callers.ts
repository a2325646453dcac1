import type { Context } from "hono";
import { NavigatorError } from "../../core/base/navigator-error";
import { type Authority, authorityOf } from "../../core/review/people/authority";
import type { Mover } from "../../core/review/people/mover";
import { hasPeople } from "../../core/review/people/people-file";
import type { PrivateKey } from "../../node/identity/keys";
import { activePerson } from "../../node/identity/signer";
import type { WebCaller, WebContext, WebEnv } from "../context/context";

/** The user of the machine of the server, where nobody is logged in. */
const LOCAL_USER = "the user of this machine";

/**
 * Under which name a caller pauses, ends or repeats work; the history has it. In a project with people these are its people, its
 * services, and the user of the machine of the server; in one without people, every caller that is admitted.
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

/**
 * Who moves a task through the API (approvals reference, section 1). Nobody has signed it, so where people are named only a decision
 * moves the task, and no other request.
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

/**
 * Who asks for what a request starts, if that is one of the project's people: the caller, or who is logged in on this machine. That
 * person does not decide its reviews, unless their terms allow it.
 *
 * @throws NavigatorError `forbidden` for a caller who may not change the work of the project
 */
export function requesterOf({ web, caller }: { web: WebContext; caller: WebCaller }): string | undefined {
  const actor = actorOf({ web, caller });
  return activePerson(web.people(), actor) === undefined ? undefined : actor;
}

/** Who decides, and the key that signs for them; none where the project has no people. */
interface WebDecider {
  by: string;
  key?: PrivateKey;
}

type Place = { web: Pick<WebContext, "people" | "signerOf">; caller: WebCaller };

/**
 * Under which name a request decides (approvals reference, section 4): as the person who is authenticated, with a signature; in a project
 * without people under the name that is given, unsigned.
 *
 * @param named in the request
 * @throws NavigatorError `not_logged_in` if nobody can sign, `unverified_decision` for somebody else's name, `invalid_input` for none
 */
export function deciderOf({ web, caller }: Place, named: string | undefined): WebDecider {
  const given = named?.trim();
  if (!hasPeople(web.people())) {
    const by = given || caller.person;
    if (by) return { by };
    throw new NavigatorError("invalid_input", 'No decider is named: "by" is missing.', {
      hint: "The project has no people, so a name is taken as it is given.",
      details: { path: "by" },
    });
  }
  const signer = web.signerOf(caller);
  if ("nobody" in signer) throw new NavigatorError("not_logged_in", signer.nobody, { hint: signer.hint });
  const { person, key } = signer;
  if (given && given !== person)
    throw new NavigatorError("unverified_decision", `You are "${person}" here, and cannot sign for "${given}".`, {
      hint: `Leave the name out to decide as ${person}.`,
    });
  return { by: person, key };
}

/** The person whose list is made, or whose work is shown. */
export type Viewer = { by: string; authority: Authority } | { nobody: string; hint: string };

/**
 * Who looks at the inbox. Looking needs no key.
 *
 * @param named counts only where the project has no people
 */
export function viewerOf({ web, caller }: Place, named?: string): Viewer {
  const people = web.people();
  if (!hasPeople(people)) {
    const by = named?.trim() || caller.person;
    if (by) return { by, authority: authorityOf(people, by, Date.now()) };
    return { nobody: "The project has no people.", hint: "Give the name under which you decide." };
  }
  const signer = caller.person === undefined ? web.signerOf(caller) : { person: caller.person };
  if ("nobody" in signer) return signer;
  return { by: signer.person, authority: authorityOf(people, signer.person, Date.now()) };
}
