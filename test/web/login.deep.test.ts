import type { PeopleFile } from "../../src/core/review/people/people-file";
import { type Issuer, openIssuer } from "../support/servers/oidc-issuer";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { openBrowser, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl, WEB_SERVICE } from "../support/web/mission-control";

/** Logging in with the project's OIDC issuer (web reference, section 2), in a real browser. */

const serviceKey = newKey();

const people: PeopleFile = peopleOf({
  people: { anna: { keys: [], oidc: "u-anna" }, gone: { keys: [], oidc: "u-gone", removed: "2026-01-02T00:00:00Z" } },
  services: { [WEB_SERVICE]: { keys: [publicKey(serviceKey)], may: ["vouch"] } },
});

let issuer: Issuer;
let control: MissionControl;
let browser: TestBrowser;

beforeAll(async () => {
  [issuer, browser] = await Promise.all([openIssuer(), openBrowser()]);
  const oidc = { issuer: issuer.url, audience: "navigator" };
  control = await openMissionControl({ people: () => people, serviceKey, project: { oidc } });
});
afterAll(async () => {
  await browser?.close();
  await control?.stop();
  await issuer?.close();
});

const throughIssuer = async (place: string) => {
  const page = await browser.open(`${control.url}${place}`);
  await page.getByRole("link", { name: "Log in with your organisation" }).click();
  return page;
};

test("a person of the project logs in at the issuer, and comes back to where they wanted to be", async () => {
  issuer.logsIn("u-anna");
  const page = await throughIssuer("/missions?state=failed");
  await page.getByRole("navigation", { name: "Mission Control" }).getByText("anna").waitFor();
  expect(page.url()).toBe(`${control.url}/missions?state=failed`);
});

test("whoever says no at the issuer, or has left the project, is told, and not let in", async () => {
  for (const subject of [null, "u-gone"]) {
    issuer.logsIn(subject);
    const page = await throughIssuer("/");
    await page.getByRole("alert").getByText("did not let you in").waitFor();
    expect((await page.request.get(`${control.url}/api/session`)).status()).toBe(401);
  }
});
