;; Agents' everyday work: invoices, money, taxes, payments.

(extract "Invoice (\\S+)" data/invoice) ;=> "INV-2031-007"
(parse-double (extract "Total: ([\\d.]+)" data/invoice)) ;=> 33.4
(extract #"by (\d{4}-\d\d-\d\d)" data/invoice) ;=> "2031-04-08"
(LocalDate/parse (extract "Date: (\\S+)" data/invoice)) ;=> "2031-03-09"
(extract "VAT: (\\d+)" data/invoice) ;=> nil
(replace (extract "Pay to (.+) by" data/invoice) " " "") ;=> "DE1234560000"
(for [line (split-lines data/invoice)
      :let [m (re-matches #"(\w+), (\d+) x ([\d.]+)" line)]
      :when m
      :let [[_ name qty price] m]]
  {:name name :qty (parse-long qty) :price (parse-double price)})
;=> [{:name "Paper" :price 4.5 :qty 3} {:name "Ink" :price 19.9 :qty 1}]
(let [lines (map (fn [[_ qty price]] (* (parse-long qty) (parse-double price)))
                 (re-seq #"(\d+) x ([\d.]+)" data/invoice))
      stated (parse-double (extract "Total: ([\\d.]+)" data/invoice))]
  {:sum (sum lines) :ok (< (abs (- stated (sum lines))) 0.005)})
;=> {:ok true :sum 33.4}
(let [fields (into {} (map (fn [[_ k v]] [k v]) (re-seq #"(?m)^(\w+): (.+)$" data/invoice)))]
  [(keys fields) (get fields "Total")])
;=> [["Date" "Total"] "33.40 EUR"]
(defn cents [text]
  (let [[_ euros rest] (re-matches #"(\d+)\.(\d\d)" text)]
    (when euros (+ (* 100 (parse-long euros)) (parse-long rest)))))
(map cents ["33.40" "0.05" "7" "12.5"])
;=> [3340 5 nil nil]
(defn money [c]
  (let [rest (mod (abs c) 100)]
    (str (when (neg? c) "-") (quot (abs c) 100) "." (when (< rest 10) "0") rest)))
(map money [3340 5 -150 0])
;=> ["33.40" "0.05" "-1.50" "0.00"]
(let [split-evenly (fn [cents n]
                     (let [base (quot cents n) extra (rem cents n)]
                       (map #(if (< % extra) (inc base) base) (range n))))
      parts (split-evenly 1000 3)]
  [parts (reduce + parts)])
;=> [[334 333 333] 1000]
(let [invoices [{:no 1 :net 100 :rate 19} {:no 2 :net 50 :rate 7} {:no 3 :net 200 :rate 19}]]
  (update-vals (group-by :rate invoices)
               (fn [rows] (/ (reduce + (map #(* (:net %) (:rate %)) rows)) 100))))
;=> {7 3.5 19 57.0}
(let [invoices [{:no 1 :due "2031-03-01" :open 40} {:no 2 :due "2031-02-01" :open 60} {:no 3 :due "2031-03-20" :open 10}]
      today "2031-03-05"]
  (->> invoices
       (filter (where :due < today))
       (sort-by :due)
       (map (juxt :no :open))))
;=> [[2 60] [1 40]]
(defn age-group [days]
  (cond (<= days 0) :current
        (<= days 30) :late
        :else :very-late))
(let [days (fn [a b] (quot (- (.getTime (java.util.Date. b)) (.getTime (java.util.Date. a))) 86400000))
      rows [{:due "2031-03-31" :open 5} {:due "2031-03-10" :open 7} {:due "2031-01-10" :open 11} {:due "2031-03-14" :open 2}]]
  (update-vals (group-by #(age-group (days (:due %) "2031-03-15")) rows) #(sum-by :open %)))
;=> {:current 5 :late 9 :very-late 11}
(let [invoices [{:no "A1" :amount 100} {:no "A2" :amount 80} {:no "A3" :amount 55}]
      payments [{:ref "A1" :amount 100} {:ref "A2" :amount 30} {:ref "A9" :amount 5}]
      paid (reduce (fn [m {:keys [ref amount]}] (update m ref (fnil + 0) amount)) {} payments)
      known (set (map :no invoices))]
  {:open (into {} (for [{:keys [no amount]} invoices
                        :let [left (- amount (get paid no 0))]
                        :when (pos? left)]
                    [no left]))
   :unknown (remove known (map :ref payments))})
;=> {:open {"A2" 50 "A3" 55} :unknown ["A9"]}
(loop [credit 100 invoices [{:no 1 :open 40} {:no 2 :open 70} {:no 3 :open 10}] booked []]
  (if (or (empty? invoices) (zero? credit))
    {:booked booked :credit credit}
    (let [{:keys [no open]} (first invoices)
          pay (min open credit)]
      (recur (- credit pay) (rest invoices) (conj booked [no pay])))))
;=> {:booked [[1 40] [2 60]] :credit 0}
(let [rates {"EUR" 1 "USD" 0.5 "CHF" 2}
      amounts [[10 "EUR"] [8 "USD"] [3 "CHF"] [1 "XXX"]]
      converted (map (fn [[n cur]] (when-let [r (rates cur)] (* n r))) amounts)]
  {:sum (sum converted) :unknown (for [[n cur] amounts :when (not (contains? rates cur))] cur)})
;=> {:sum 20.0 :unknown ["XXX"]}
(let [ledger [{:acc "cash" :d 100} {:acc "sales" :d -100} {:acc "cash" :d -40} {:acc "rent" :d 40}]
      balances (reduce (fn [m {:keys [acc d]}] (update m acc (fnil + 0) d)) {} ledger)]
  [balances (zero? (reduce + (vals balances)))])
;=> [{"cash" 60 "rent" 40 "sales" -100} true]
(let [schedule (fn [amount months]
                 (let [rate (quot amount months)]
                   (map (fn [m] {:month m :pay (if (= m months) (- amount (* rate (dec months))) rate)})
                        (range 1 (inc months)))))]
  (schedule 100 3))
;=> [{:month 1 :pay 33} {:month 2 :pay 33} {:month 3 :pay 34}]
(let [balance (loop [owed 1000.0 year 0] (if (= year 2) owed (recur (* owed 1.5) (inc year))))]
  balance)
;=> 2250.0
(let [dup (->> [{:no 1 :sum 5 :on "a"} {:no 2 :sum 5 :on "a"} {:no 3 :sum 6 :on "a"}]
               (group-by (juxt :sum :on))
               vals
               (filter #(> (count %) 1))
               (map #(map :no %)))]
  dup)
;=> [[1 2]]
(let [text "Pos1 2 pcs 10,50 EUR\nPos2 1 pcs 1.200,00 EUR"
      german (fn [s] (parse-double (replace (replace s "." "") "," ".")))]
  (map (fn [[_ amount]] (german amount)) (re-seq #"([\d.,]+) EUR" text)))
;=> [10.5 1200.0]
(let [check (fn [iban]
              (let [s (replace iban " " "")]
                (cond (not (re-matches #"[A-Z]{2}\d{2}[A-Z0-9]+" s)) :malformed
                      (< (count s) 12) :short
                      :else :plausible)))]
  (map check ["DE12 3456 0000" "12DE" "FR76 3000"]))
;=> [:plausible :malformed :short]
(let [total (parse-double (extract "Total: ([\\d.]+)" data/invoice))]
  (if (> total 1000)
    (fail {:reason :needs_approval :total total})
    (task (str "pay-" (extract "Invoice (\\S+)" data/invoice))
          (tool/echo {:amount total :due (extract "by (\\S+)$" data/invoice)}))))
;=> {"amount" 33.4 "due" "2031-04-08"}
(let [tiers [[100 0.1] [50 0.05] [0 0]]
      rate (fn [n] (second (find (fn [[from _]] (>= n from)) tiers)))]
  (map rate [120 50 49.99]))
;=> [0.1 0.05 0]
(let [lines [{:net 10 :vat 19} {:net 20 :vat 7}]
      with-gross (map (fn [{:keys [net vat] :as l}] (assoc l :gross (/ (* net (+ 100 vat)) 100))) lines)]
  {:gross (map :gross with-gross) :sum (sum-by :gross with-gross)})
;=> {:gross [11.9 21.4] :sum 33.3}
(let [numbers ["INV-2031-007" "INV-2031-009" "INV-2031-008" "INV-2030-120"]
      latest (->> numbers
                  (filter #(starts-with? % "INV-2031-"))
                  (map #(extract-int "-(\\d+)$" %))
                  (apply max))]
  (str "INV-2031-" (apply str (drop (count (str (inc latest))) "000")) (inc latest)))
;=> "INV-2031-010"
