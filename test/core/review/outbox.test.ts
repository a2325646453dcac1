import type { Delivery, DeliveryPlan, Notice, Undelivered } from "../../../src/core/review/delivery";
import { reviewNotification } from "../../../src/core/review/notification";
import {
  undeliveredLines,
  withNotice,
  withoutDelivery,
  withoutNotices,
  withPlan,
  withUndelivered,
} from "../../../src/core/review/outbox";
import type { Review } from "../../../src/core/review/review";

const REVIEW: Review = {
  id: "agent/x/pay/1",
  kind: "approval",
  title: "Call pay?",
  body: "Pay 7.",
  data: {},
  choices: ["approve", "reject"],
  createdAt: 1_000,
  status: "open",
  moves: {},
};
const HOOK: Delivery = { channel: "webhook", to: "example.com" };
const MAIL: Delivery = { channel: "email", to: "anna", person: true };
const OPENED: Notice = { event: "review_opened", at: 1_000, reminders: 0 };
const AGAIN: Notice = { event: "review_reminder", at: 2_000, reminders: 1 };
const plan = (...deliveries: Delivery[]): DeliveryPlan => ({ deliveries, show_after_ms: 5, give_up_after_ms: 50 });
const failedMail: Undelivered = { channel: "email", to: "anna", error: "no answer", at: 3_000, given_up: false };

const planned = withPlan(withNotice(withNotice(REVIEW, OPENED), AGAIN), OPENED, plan(HOOK, MAIL));

test("what is not confirmed stays, and only that", () => {
  expect(planned.notices).toEqual([{ ...OPENED, plan: plan(HOOK, MAIL) }, AGAIN]);
  const one = withoutDelivery(planned, OPENED, HOOK, null);
  expect(one.notices).toEqual([{ ...OPENED, plan: plan(MAIL) }, AGAIN]);
  const none = withoutDelivery(one, OPENED, MAIL, null);
  expect(none.notices).toEqual([AGAIN]);
  expect(withPlan(none, AGAIN, plan())).toEqual(REVIEW);
});

test("a delivery that fails is shown while it is tried on, and no longer when it arrives", () => {
  const failing = withUndelivered(planned, MAIL, failedMail);
  expect(failing.unheard).toEqual([failedMail]);
  expect(failing.notices).toEqual(planned.notices);
  expect(undeliveredLines(failing)).toEqual(["email to anna: no answer (it is tried again)"]);
  expect(withoutDelivery(failing, OPENED, MAIL, null).unheard).toBeUndefined();
});

test("a delivery that was given up is shown, and is not tried any more", () => {
  const lost = withoutDelivery(withUndelivered(planned, MAIL, failedMail), OPENED, MAIL, {
    ...failedMail,
    given_up: true,
  });
  expect(lost.notices).toEqual([{ ...OPENED, plan: plan(HOOK) }, AGAIN]);
  expect(undeliveredLines(lost)).toEqual(["email to anna: no answer"]);
});

test("a closed review has nothing to tell any more, and what failed stays known", () => {
  const closed = withoutNotices(withUndelivered(planned, MAIL, failedMail));
  expect(closed).toEqual({ ...REVIEW, unheard: [failedMail] });
  for (const status of ["decided", "withdrawn"] as const)
    expect(undeliveredLines({ ...closed, status })).toEqual([
      "email to anna: no answer (it is not tried any more: the review is closed)",
    ]);
});

test("at most twenty failures are kept, the newest", () => {
  let review = REVIEW;
  for (let n = 1; n <= 25; n++)
    review = withUndelivered(review, { channel: "email", to: `p${n}` }, { ...failedMail, to: `p${n}` });
  expect(review.unheard?.map(({ to }) => to)).toEqual(Array.from({ length: 20 }, (_, i) => `p${i + 6}`));
});

test("a notification has the beginning of a long question", () => {
  const { review } = reviewNotification("review_opened", { ...REVIEW, body: "x".repeat(5_000) }, "agent/x", 1_000);
  expect(review.body).toBe(`${"x".repeat(2_000)} ...`);
});
