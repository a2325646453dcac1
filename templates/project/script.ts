/** What the model "scripted" answers, turn by turn: the second answer is used if the first program fails. */
export const script = {
  refund: [
    `The item was broken, so the customer gets the money back.

\`\`\`clojure
(def paid (task (str "refund_" data/order_id)
  (tool/refund_card {:order_id data/order_id :cents data/cents})))
(return {:refunded true :receipt (:receipt paid)})
\`\`\``,
    `The person refused.

\`\`\`clojure
(return {:refunded false})
\`\`\``,
  ],
};
