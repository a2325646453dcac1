;; Agents' everyday work: failures of tools, second attempts, pages, fallbacks, decisions by data.

(defn attempt [id fails limit]
  (loop [n 1]
    (let [{:keys [ok error]} (tool-try (tool/flaky {:id id :fails fails}))]
      (cond ok {:tries n :answer (:attempt ok)}
            (and (:retryable? error) (< n limit)) (recur (inc n))
            :else {:tries n :error (:code error)}))))
[(attempt "a" 0 3) (attempt "b" 2 3) (attempt "c" 5 3)]
;=> [{:answer 1 :tries 1} {:answer 3 :tries 3} {:error "busy" :tries 3}]
(defn attempt [sku]
  (loop [n 1]
    (let [{:keys [ok error]} (tool-try (tool/stock {:sku sku}))]
      (cond ok (:left ok)
            (and (:retryable? error) (< n 5)) (recur (inc n))
            :else {:gave-up-after n}))))
(map attempt ["pen" "chair"])
;=> [4 {:gave-up-after 1}]
(defn first-ok [calls]
  (loop [left calls]
    (when-let [call (first left)]
      (let [answer (call)]
        (if (contains? answer :ok) (:ok answer) (recur (rest left)))))))
(first-ok [#(tool-try (tool/stock {:sku "chair"}))
           #(tool-try (tool/refund {:order 1 :amount 999}))
           #(tool-try (tool/stock {:sku "lamp"}))])
;=> {"left" 7 "sku" "lamp"}
(let [answers (map #(tool-try (tool/stock {:sku %})) ["pen" "chair" "lamp" "sofa"])
      {good true bad false} (group-by #(contains? % :ok) answers)]
  [good bad])
;!! unsupported_pattern
(let [answers (map #(tool-try (tool/stock {:sku %})) ["pen" "chair" "lamp" "sofa"])
      good (filter :ok answers)
      bad (filter :error answers)]
  {:left (sum (map #(get-in % [:ok :left]) good)) :errors (map #(get-in % [:error :message]) bad)})
;=> {:errors ["no such sku: chair" "no such sku: sofa"] :left 11}
(let [{:keys [error]} (tool-try (tool/refund {:order 104 :amount 200}))]
  (case (:code error)
    "too_much" :split))
;!! unbound_var
(let [{:keys [error]} (tool-try (tool/refund {:order 104 :amount 200}))]
  (cond (nil? error) :done
        (= (:code error) "too_much") :split
        :else (fail error)))
;=> :split
(defn refund [order amount]
  (if (<= amount 100)
    [(:ref (tool/refund {:order order :amount amount}))]
    (concat (refund order 100) (refund order (- amount 100)))))
(refund 104 250)
;=> ["r-104" "r-104" "r-104"]
(defn refund-parts [amount]
  (loop [left amount parts []]
    (if (<= left 0)
      parts
      (let [part (min 100 left)]
        (recur (- left part) (conj parts (:amount (tool/refund {:order 1 :amount part}))))))))
(refund-parts 250)
;=> [100 100 50]
(loop [page 1 found nil]
  (cond found found
        (nil? page) :absent
        :else (let [{:keys [ids next]} (let [a (tool/page {:n page})] {:ids (:ids a) :next (:next a)})]
                (recur next (find #{104} ids)))))
;=> 104
(defn all-pages []
  (loop [n 1 pages []]
    (let [answer (tool/page {:n n})
          pages (conj pages (:ids answer))]
      (if-let [following (:next answer)]
        (recur following pages)
        pages))))
(let [pages (all-pages)]
  {:pages (count pages) :ids (apply concat pages)})
;=> {:ids [101 102 103 104 105] :pages 3}
(let [limit 2]
  (loop [n 1 ids []]
    (if (> n limit)
      {:ids ids :cut true}
      (let [answer (tool/page {:n n})]
        (recur (inc n) (concat ids (:ids answer)))))))
;=> {:cut true :ids [101 102 103 104]}
(let [wanted 3
      tickets (loop [got []]
                (if (= (count got) wanted) got (recur (conj got (:n (tool/ticket))))))]
  tickets)
;=> [1 2 3]
(let [max-tries (:max-retries data/settings)
      outcome (loop [n 1]
                (let [r (tool-try (tool/flaky {:id "job" :fails 9}))]
                  (if (or (:ok r) (= n max-tries)) (assoc r :tries n) (recur (inc n)))))]
  (if (:ok outcome)
    (return (:ok outcome))
    (fail {:reason (get-in outcome [:error :code]) :tries (:tries outcome)})))
;!! fail {:reason "busy" :tries 3}
(let [results (pmap (fn [{:keys [id fails]}]
                      (loop [n 1]
                        (let [{:keys [ok]} (tool-try (tool/flaky {:id id :fails fails}))]
                          (cond ok [id n]
                                (= n 4) [id :failed]
                                :else (recur (inc n))))))
                    [{:id "a" :fails 0} {:id "b" :fails 3} {:id "c" :fails 4}])]
  (into {} results))
;=> {"a" 1 "b" 4 "c" :failed}
(let [backoff (fn [n] (min 60 (int (pow 2 n))))]
  (map backoff (range 8)))
;=> [1 2 4 8 16 32 60 60]
(let [jobs [{:id 1 :tries 0} {:id 2 :tries 3} {:id 3 :tries 1 :done true}]
      next-jobs (filter (all-of (none-of :done) (where :tries < (:max-retries data/settings))) jobs)]
  (map :id next-jobs))
;=> [1]
(let [answer (tool-try (tool/stock {:sku "chair"}))
      left (or (get-in answer [:ok :left]) 0)]
  (if (zero? left) "sold out" (str left " left")))
;=> "sold out"
(let [dry-run (:dry_run data/settings)
      send (fn [order] (if dry-run {:would-send (:id order)} {:sent (:n (tool/ticket)) :order (:id order)}))]
  (map send (filter (where :status = "open") data/orders)))
;=> [{:order 102 :sent 1} {:order 103 :sent 2}]
(def handled
  (for [{:keys [id total]} data/orders
        :when (> total 40)]
    (let [{:keys [ok error]} (tool-try (tool/refund {:order id :amount total}))]
      {:id id :ok (boolean ok) :why (:code error)})))
(map :id (filter (where :why = "too_much") handled))
;=> [101 104]
(let [price (fn [eur] (* eur (:rate (tool/rate {:from "EUR"}))))
      usd (map #(price (:total %)) data/orders)]
  [(sum usd) (:call (tool/rate {:from "EUR"}))])
;=> [727.5 1]
(let [verdict (fn [{:keys [ok error]}]
                (cond ok :fine
                      (:retryable? error) :again
                      :else :give-up))]
  (map verdict [(tool-try (tool/echo {:a 1}))
                (tool-try (tool/flaky {:id "v" :fails 1}))
                (tool-try (tool/stock {:sku "x"}))]))
;=> [:fine :again :give-up]
(do (def failures [])
    (doseq [sku ["pen" "chair" "sofa"]]
      (when-let [e (:error (tool-try (tool/stock {:sku sku})))]
        (def failures (conj failures (:message e)))))
    (join "; " failures))
;=> "no such sku: chair; no such sku: sofa"
(let [plan [{:step "look" :run #(tool/page {:n 1})}
            {:step "count" :run #(tool/ticket)}]]
  (for [{:keys [step run]} plan]
    [step (keys (run))]))
;=> [["look" ["ids" "next"]] ["count" ["n"]]]
(let [input {:order "abc"}
      id (or (parse-long (:order input)) (fail {:reason :bad_input :message (str "no number: " (:order input))}))]
  (tool/echo {:id id}))
;!! fail {:message "no number: abc" :reason :bad_input}
(defn validate [{:keys [email qty]}]
  (remove nil? [(when-not (and email (re-matches #"\S+@\S+\.\w+" email)) :email)
                (when-not (and (number? qty) (pos? qty)) :qty)]))
(map validate [{:email "a@b.co" :qty 1} {:email "a@b" :qty 0} {}])
;=> [[] [:email :qty] [:email :qty]]
(let [rows [{:sku "pen" :qty "2"} {:sku "ink" :qty "two"} {:qty "1"}]
      checked (for [{:keys [sku qty]} rows
                    :let [n (parse-long qty)]]
                (cond (nil? sku) {:error "no sku"}
                      (nil? n) {:error (str "bad qty " qty)}
                      :else {:row [sku n]}))]
  {:rows (map :row (filter :row checked)) :errors (map :error (filter :error checked))})
;=> {:errors ["bad qty two" "no sku"] :rows [["pen" 2]]}
(let [queue (loop [queue [{:id "x" :fails 1} {:id "y" :fails 0}] done [] rounds 0]
              (cond (empty? queue) {:done done :rounds rounds}
                    (= rounds 10) {:done done :left queue}
                    :else (let [job (first queue)
                                r (tool-try (tool/flaky job))]
                            (if (:ok r)
                              (recur (rest queue) (conj done (:id job)) (inc rounds))
                              (recur (conj (rest queue) job) done (inc rounds))))))]
  queue)
;=> {:done ["y" "x"] :rounds 3}
(let [open (filter (where :status = "open") data/orders)
      state (reduce (fn [s {:keys [id total]}]
                      (if (> (+ (:spent s) total) 50)
                        (update s :deferred conj id)
                        (-> s (update :spent + total) (update :accepted conj id))))
                    {:spent 0 :accepted [] :deferred []}
                    open)]
  state)
;=> {:accepted [102] :deferred [103] :spent 45}
