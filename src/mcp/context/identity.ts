import type { AuthInfo } from "@modelcontextprotocol/server";
import { NO_PEOPLE, type PeopleFile } from "../../core/review/people/people-file";
import type { HttpCaller } from "../../node/http/authenticate";
import type { PrivateKey } from "../../node/identity/keys";
import type { Scope } from "../../node/identity/scopes";
import { callerSigner, type NoSigner, ownSigner, type Signer } from "../../node/identity/signer";

/**
 * Who acts through a session (approvals reference, section 1): the session itself is an agent. It acts for a person only where the server
 * has authenticated that person, for exactly that call.
 */

/** What an MCP server knows of the people of its project. */
export interface Identity {
  /** The people, read again for each question. @throws NavigatorError `bad_project` */
  people(): PeopleFile;
  /** The person who has authenticated this call, and the key that signs; or why there is nobody. */
  personOf(auth: AuthInfo | undefined): Signer | NoSigner;
}

/** The scopes of a request's token; undefined: all. */
export const scopesOf = (auth: AuthInfo | undefined): readonly Scope[] | undefined =>
  (auth?.extra?.caller as HttpCaller | undefined)?.scopes;

/** A person who is logged in on the machine of a server over stdio. */
export const identityOverStdio = (people: () => PeopleFile, loggedIn: () => Signer | null): Identity => ({
  people,
  personOf: () => ownSigner(people(), loggedIn()),
});

/** The person of a request's token. The server signs, with the key of a service that may vouch. */
export const identityOverHttp = (
  people: () => PeopleFile,
  service: string,
  serviceKey: () => PrivateKey,
): Identity => ({
  people,
  personOf: (auth) =>
    callerSigner(people(), (auth?.extra?.caller as HttpCaller | undefined)?.person, service, serviceKey),
});

/** A server that knows nobody: a project without people. */
export const NOBODY_KNOWN: Identity = {
  people: () => NO_PEOPLE,
  personOf: () => ({
    nobody: "The server has authenticated nobody.",
    hint: "A person decides: navigator review decide",
  }),
};
