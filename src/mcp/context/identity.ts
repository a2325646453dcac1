import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import { NO_PEOPLE, type PeopleFile } from "../../core/people/people-file";
import type { PrivateKey } from "../../identity/keys";

/**
 * Who acts through a session (approvals reference, section 1): the session itself is an agent. A person is behind it only
 * where the server has authenticated somebody, for exactly that call.
 */

/** What an MCP server knows of the people of its project. */
export interface Identity {
  /** The people, read again for each question. @throws NavigatorError `invalid_people` */
  people(): PeopleFile;
  /** The person who has authenticated this call, and the key that signs; or why there is nobody. */
  personOf(auth: AuthInfo | undefined): Signer | { nobody: string; hint: string };
}

/** A person, and the key that signs for them: their own, or that of a service that vouches. */
export interface Signer {
  person: string;
  key: PrivateKey;
}

/** A person who is logged in on the machine of a server over stdio. */
export function identityOverStdio(people: () => PeopleFile, loggedIn: () => Signer | null): Identity {
  return {
    people,
    personOf: () => {
      const signer = loggedIn();
      if (signer === null)
        return {
          nobody: "Nobody is logged in on this machine.",
          hint: "The person at the client logs in: navigator login --as NAME",
        };
      const { person, key } = signer;
      const file = people();
      if (activePerson(file, person)?.keys.some(({ kid, revoked }) => kid === key.kid && !isPast(revoked)))
        return signer;
      return {
        nobody: `"${person}" is logged in on this machine, and people.yaml does not have the key ${key.kid}.`,
        hint: `Somebody adds it: navigator people key ${person} add ${key.x}`,
      };
    },
  };
}

/** The person whom the token of a request stands for. The server signs, with the key of a service that may vouch. */
export function identityOverHttp(people: () => PeopleFile, service: string, serviceKey: () => PrivateKey): Identity {
  return {
    people,
    personOf: (auth) => {
      const file = people();
      const caller = auth?.extra?.caller as HttpCaller | undefined;
      if (caller?.person === undefined || activePerson(file, caller.person) === undefined)
        return {
          nobody: "The request has no token of one of the project's people.",
          hint: "The person at the client sends a token of their own: navigator token create NAME, or one of the OIDC issuer.",
        };
      const vouching = file.services[service];
      const hint = `Somebody lets it vouch, on this machine: navigator people service ${service} --may vouch`;
      if (!vouching?.may.includes("vouch"))
        return { nobody: `The service "${service}" of this server may not vouch for people.`, hint };
      const key = serviceKey();
      if (vouching.keys.some(({ kid, revoked }) => kid === key.kid && !isPast(revoked)))
        return { person: caller.person, key };
      return { nobody: `people.yaml does not have the key ${key.kid} of this server's service "${service}".`, hint };
    },
  };
}

/** A server that knows nobody: a project without people. */
export const NOBODY_KNOWN: Identity = {
  people: () => NO_PEOPLE,
  personOf: () => ({
    nobody: "The server has authenticated nobody.",
    hint: "A person decides: navigator review decide",
  }),
};

/** Whoever sends requests over HTTP, as far as the server found out. */
export interface HttpCaller {
  /** The same for all requests of one caller: a session belongs to who began it. */
  id: string;
  /** Name of the person, as people.yaml has it. */
  person?: string;
}

/** Whether people.yaml says that somebody has left the project. */
export const hasLeft = ({ people }: PeopleFile, name: string): boolean =>
  Object.hasOwn(people, name) && isPast(people[name]?.removed);

/** Somebody of the project who has not left. */
export function activePerson({ people }: PeopleFile, name: string): PeopleFile["people"][string] | undefined {
  const person = Object.hasOwn(people, name) ? people[name] : undefined;
  return person !== undefined && !isPast(person.removed) ? person : undefined;
}

const isPast = (time: string | undefined): boolean => time !== undefined && Date.parse(time) <= Date.now();
