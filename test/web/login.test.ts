import type { PeopleFile } from "../../src/core/review/people/people-file";
import { type Issuer, openIssuer } from "../support/servers/oidc-issuer";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { type MissionControl, openMissionControl, WEB_SERVICE } from "../support/web/mission-control";

/** Logging in with the project's OIDC issuer (web reference, section 2). */

const serviceKey = newKey();

const people: PeopleFile = peopleOf({
  people: { anna: { keys: [], oidc: "u-anna" }, gone: { keys: [], oidc: "u-gone", removed: "2026-01-02T00:00:00Z" } },
  services: { [WEB_SERVICE]: { keys: [publicKey(serviceKey)], may: ["vouch"] } },
});

let issuer: Issuer;
let control: MissionControl;

beforeAll(async () => {
  issuer = await openIssuer();
  const oidc = { issuer: issuer.url, audience: "navigator" };
  control = await openMissionControl({ people: () => people, serviceKey, project: { oidc } });
});
afterAll(async () => {
  await control?.stop();
  await issuer?.close();
});

/** A browser without a page: it has the cookies that it was given, and follows no address by itself. */
function visitor() {
  const cookies = new Map<string, string>();
  return async (address: string): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(address, { redirect: "manual", headers: cookie === "" ? {} : { cookie } });
    for (const one of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      cookies.set(name, value);
    }
    return answer;
  };
}
const whereTo = (answer: Response) => new URL(answer.headers.get("location") as string, control.url).href;

test("a person of the project logs in at the issuer, and comes back to where they wanted to be", async () => {
  issuer.logsIn("u-anna");
  const visit = visitor();
  const atIssuer = await visit(`${control.url}/api/session/oidc?to=${encodeURIComponent("/missions?state=failed")}`);
  const back = await visit(whereTo(atIssuer));
  const done = await visit(whereTo(back));
  expect(whereTo(done)).toBe(`${control.url}/missions?state=failed`);
  const session = await visit(`${control.url}/api/session`);
  expect([session.status, await session.json()]).toEqual([200, expect.objectContaining({ person: "anna" })]);
});

test("whoever says no at the issuer, or has left the project, is not let in", async () => {
  for (const subject of [null, "u-gone"]) {
    issuer.logsIn(subject);
    const visit = visitor();
    const done = await visit(whereTo(await visit(whereTo(await visit(`${control.url}/api/session/oidc`)))));
    expect(whereTo(done)).toBe(`${control.url}/login?refused=oidc`);
    expect((await visit(`${control.url}/api/session`)).status).toBe(401);
  }
});

test("a login that another browser began gives no session", async () => {
  issuer.logsIn("u-anna");
  const begun = await fetch(`${control.url}/api/session/oidc`, { redirect: "manual" });
  const back = await fetch(begun.headers.get("location") as string, { redirect: "manual" });
  // The victim opens the link that the attacker's login would come back with.
  const stolen = await fetch(back.headers.get("location") as string, { redirect: "manual" });
  expect(stolen.headers.get("location")).toBe("/login?refused=oidc");
  expect(stolen.headers.getSetCookie().filter((one) => one.startsWith("navigator_session"))).toEqual([]);
});
