import { setHandler } from "@temporalio/workflow";
import { asApplicationFailure } from "../failures";
import { startApproved } from "../messages";
import type { RequestedReviews } from "../reviews";

/** Answers the activity that asks right before it makes a call that people approved. */
export function listenForStarts(reviews: RequestedReviews): void {
  setHandler(startApproved, ({ review }) => reviews.start(review), {
    validator: ({ review, seal }) => {
      const problem = reviews.startProblem(review, seal);
      if (problem) throw asApplicationFailure(problem);
    },
  });
}
