import { NavigatorError } from "../../core/base/navigator-error";
import { type Authority, authorityOf } from "../../core/review/people/authority";
import { hasPeople } from "../../core/review/people/people-file";
import type { PrivateKey } from "../../node/identity/keys";
import type { WebCaller, WebContext } from "../context/context";

/** Who decides, and the key that signs for them; none where the project has no people. */
export interface WebDecider {
  by: string;
  key?: PrivateKey;
}

type Place = { web: Pick<WebContext, "people" | "signerOf">; caller: WebCaller };

/**
 * Under which name a request decides (approvals reference, section 4): as the person whom the server knows, whose decision is signed; in a
 * project without people under the name that is given, unsigned.
 *
 * @param named in the request
 * @throws NavigatorError `not_logged_in` if nobody can sign, `unverified_decision` for somebody else's name, `invalid_input` for none
 */
export function deciderOf({ web, caller }: Place, named: string | undefined): WebDecider {
  const given = named?.trim();
  if (!hasPeople(web.people())) {
    const by = given || caller.person;
    if (by) return { by };
    throw new NavigatorError("invalid_input", 'It is not said who decides: "by" is missing.', {
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

/** For whom a list is made, or what is shown as theirs. */
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
    return { nobody: "The project has no people.", hint: "Say under which name you decide." };
  }
  const signer = caller.person === undefined ? web.signerOf(caller) : { person: caller.person };
  if ("nobody" in signer) return signer;
  return { by: signer.person, authority: authorityOf(people, signer.person, Date.now()) };
}
