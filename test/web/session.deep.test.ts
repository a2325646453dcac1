import type { Page } from "playwright-core";
import { openBrowser, scrollsSideways, seriousViolations, type TestBrowser } from "../support/web/browser";
import { type MissionControl, openMissionControl } from "../support/web/mission-control";

/** Sessions of browsers, and the frame of the page (web reference, section 2). */

let control: MissionControl;
let browser: TestBrowser;
beforeAll(async () => {
  [control, browser] = await Promise.all([openMissionControl(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await control?.stop();
});

const login = (page: Page) => page.getByRole("heading", { name: "Log in to Mission Control" });

test("the link that navigator dev prints logs in, and its token leaves the address", async () => {
  const page = await browser.open(control.link("/missions"));
  await page.getByRole("navigation", { name: "Mission Control" }).waitFor();
  expect(page.url()).toBe(`${control.url}/missions`);
  await page.reload();
  await page.getByRole("navigation", { name: "Mission Control" }).waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  await login(page).waitFor();
  await page.reload();
  await login(page).waitFor();
});

test("without a session the page asks for a token, and refuses a wrong one with its code", async () => {
  const page = await browser.open(control.url, { width: 360, height: 640, scheme: "dark" });
  await login(page).waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  await page.getByLabel("Token").fill("wrong");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").getByText("unauthenticated").waitFor();
  await page.getByLabel("Token").fill(control.token);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("navigation", { name: "Mission Control" }).waitFor();
});

test("a link with a wrong token says so, and the right link in the same tab logs in", async () => {
  const page = await browser.open(`${control.url}/login#token=wrong`);
  await page.getByRole("alert").getByText("unauthenticated").waitFor();
  await page.goto(`${control.url}/login#token=${control.token}`);
  await page.getByRole("navigation", { name: "Mission Control" }).waitFor();
  expect(page.url()).toBe(`${control.url}/`);
});

test("who is logged in already is led on from the login, and a broken token is a wrong one", async () => {
  const page = await browser.open(control.link("/missions"));
  await page.getByRole("navigation", { name: "Mission Control" }).waitFor();
  await page.goto(`${control.url}/login`);
  await page.waitForURL(`${control.url}/`);
  const other = await browser.open(`${control.url}/login#token=%E0%A4%A`);
  await other.getByRole("alert").getByText("unauthenticated").waitFor();
  expect(other.url()).toBe(`${control.url}/login`);
});

test("an address with a broken percent sign is a place like any other", async () => {
  const page = await browser.open(control.link("/missions"));
  await page.getByRole("navigation", { name: "Mission Control" }).waitFor();
  await page.goto(`${control.url}/missions/%E0%A4%A`);
  await page.getByRole("navigation", { name: "Mission Control" }).waitFor();
});

test("a link that leads elsewhere after the login stays on the page", async () => {
  const page = await browser.open(`${control.url}/login?to=//elsewhere.example/#token=${control.token}`);
  await page.getByRole("navigation", { name: "Mission Control" }).waitFor();
  expect(new URL(page.url()).origin).toBe(control.url);
});
