;; Agents' everyday work: orders, stock, customers, baskets.

(->> data/orders
     (filter (where :status = "open"))
     (map #(select-keys % [:id :total])))
;=> [{:id 102 :total 45} {:id 103 :total 30}]
(->> data/orders
     (group-by :status)
     (map (fn [[status rows]] [status (count rows) (sum-by :total rows)]))
     (sort-by first))
;=> [["cancelled" 1 200] ["open" 2 75] ["paid" 2 210]]
(let [line-total (fn [{:keys [qty price]}] (* qty price))
      wrong (remove (fn [o] (= (:total o) (reduce + (map line-total (:items o))))) data/orders)]
  (count wrong))
;=> 0
(->> data/orders
     (mapcat :items)
     (reduce (fn [m {:keys [sku qty]}] (update m sku (fnil + 0) qty)) {}))
;=> {"desk" 3 "lamp" 3 "pen" 5}
(let [names (into {} (map (juxt :id :name) data/customers))]
  (for [{:keys [id customer]} data/orders]
    (str id " " (get names customer "unknown"))))
;=> ["101 Ada" "102 Bo" "103 Ada" "104 Cem" "105 unknown"]
(let [known (set (map :id data/customers))]
  (->> data/orders
       (remove #(contains? known (:customer %)))
       (map :id)))
;=> [105]
(let [wanted (->> data/orders
                  (filter (where :status in ["open" "paid"]))
                  (mapcat :items)
                  (reduce (fn [m {:keys [sku qty]}] (update m sku (fnil + 0) qty)) {}))]
  (for [[sku need] (sort-by key wanted)
        :let [have (get data/stock sku 0)]
        :when (> need have)]
    {:sku sku :short (- need have)}))
;=> [{:short 1 :sku "desk"} {:short 1 :sku "pen"}]
(->> data/orders
     (sort-by (juxt :placed (fn [o] (- (:total o)))))
     (map (juxt :placed :id)))
;=> [["2031-03-01" 101] ["2031-03-02" 102] ["2031-03-02" 103] ["2031-03-04" 104] ["2031-03-05" 105]]
(let [best (max-by :total (remove (where :status = "cancelled") data/orders))]
  (str "Order " (:id best) " for " (:total best)))
;=> "Order 101 for 120"
(let [by-customer (group-by :customer data/orders)]
  (->> data/customers
       (map (fn [{:keys [id name]}] {:name name :orders (count (get by-customer id))}))
       (sort-by :orders >)))
;=> [{:name "Ada" :orders 2} {:name "Bo" :orders 1} {:name "Cem" :orders 1}]
(let [cities (into {} (map (juxt :id :city) data/customers))
      per-city (group-by #(get cities (:customer %) "?") data/orders)]
  (update-vals per-city #(sum-by :total %)))
;=> {"?" 90 "Kiel" 45 "Ulm" 350}
(defn discount [total]
  (cond (>= total 100) 0.5
        (>= total 50) 0.25
        :else 0))
(map (fn [{:keys [id total]}] [id (* total (- 1 (discount total)))]) data/orders)
;=> [[101 60.0] [102 45] [103 30] [104 100.0] [105 67.5]]
(let [add (fn [basket sku qty]
            (update basket sku (fnil + 0) qty))
      drop-empty (fn [basket] (into {} (filter (fn [[_ n]] (pos? n)) basket)))]
  (-> {}
      (add :pen 2)
      (add :ink 1)
      (add :pen 1)
      (add :ink -1)
      drop-empty))
;=> {:pen 3}
(let [prices {:pen 1.5 :ink 4 :book 12}
      basket {:pen 4 :book 1}]
  (reduce (fn [total [sku n]] (+ total (* n (prices sku)))) 0 basket))
;=> 18.0
(reduce (fn [stock {:keys [items status]}]
          (if (= status "cancelled")
            stock
            (reduce (fn [s {:keys [sku qty]}] (update s sku - qty)) stock items)))
        data/stock
        data/orders)
;=> {"desk" -1 "lamp" 4 "pen" -1}
(loop [orders data/orders stock data/stock ok [] waiting []]
  (if-let [order (first orders)]
    (let [need (reduce (fn [m {:keys [sku qty]}] (update m sku (fnil + 0) qty)) {} (:items order))
          enough? (every? (fn [[sku n]] (<= n (get stock sku 0))) need)]
      (if enough?
        (recur (rest orders)
               (reduce (fn [s [sku n]] (update s sku - n)) stock need)
               (conj ok (:id order))
               waiting)
        (recur (rest orders) stock ok (conj waiting (:id order)))))
    {:ok ok :waiting waiting :left stock}))
;=> {:left {"desk" 0 "lamp" 4 "pen" 1} :ok [102 103 105] :waiting [101 104]}
(let [{:keys [paid open]} (into {} (map (fn [[k v]] [k (map :id v)]) (group-by :status data/orders)))]
  {:paid paid :open open})
;=> {:open [102 103] :paid [101 105]}
(let [question "Where is order 102?"
      id (extract-int "order (\\d+)" question)
      order (find (where :id = id) data/orders)]
  (if order
    (str "Order " id " is " (:status order) ", placed on " (:placed order) ".")
    (str "I know no order " id ".")))
;=> "Order 102 is open, placed on 2031-03-02."
(let [question "Where is order 999?"
      id (extract-int "order (\\d+)" question)
      order (find (where :id = id) data/orders)]
  (if order (:status order) (str "I know no order " id ".")))
;=> "I know no order 999."
(let [restock (for [[sku n] (sort-by key data/stock) :when (< n 5)] {:sku sku :order (- 10 n)})]
  (when (seq restock) restock))
;=> [{:order 10 :sku "desk"} {:order 6 :sku "pen"}]
(def statuses ["open" "paid" "shipped"])
(defn advance [order]
  (let [at (first (filter #(= (nth statuses %) (:status order)) (range (count statuses))))]
    (if (and at (< at (dec (count statuses))))
      (assoc order :status (nth statuses (inc at)))
      order)))
(map #(:status (advance %)) [{:status "open"} {:status "paid"} {:status "shipped"} {:status "lost"}])
;=> ["paid" "shipped" "shipped" "lost"]
(let [pairs (for [o data/orders a (:items o) b (:items o) :when (< (:sku a) (:sku b))] [(:sku a) (:sku b)])]
  (frequencies pairs))
;=> {["desk" "pen"] 1}
(let [total (fn [rows] (sum-by :total rows))
      all (total data/orders)]
  (->> (group-by :status data/orders)
       (map (fn [[s rows]] [s (round (* 100 (/ (total rows) all)))]))
       (sort-by second >)))
;=> [["paid" 43] ["cancelled" 41] ["open" 15]]
(let [mails (->> data/orders
                 (filter (where :status = "open"))
                 (map (fn [o] (find (where :id = (:customer o)) data/customers)))
                 (filter (where :email))
                 (map :email)
                 distinct)]
  (return {:send-to mails}))
;=> {:send-to ["bo@example.org" "ada@example.com"]}
(let [ids (for [{:keys [id items]} data/orders
                :when (some (where :sku = "desk") items)]
            id)]
  (if (empty? ids)
    (fail :no-desks)
    (str "Desks: " (join ", " ids))))
;=> "Desks: 101, 104"
(->> data/orders
     (map #(assoc % :pieces (sum-by :qty (:items %))))
     (filter (where :pieces >= 3))
     (map (juxt :id :pieces)))
;=> [[101 3] [103 3]]
(let [change {:id 103 :status "paid"}
      updated (map (fn [o] (if (= (:id o) (:id change)) (merge o {"status" (:status change)}) o)) data/orders)]
  (frequencies (map :status updated)))
;=> {"cancelled" 1 "open" 1 "paid" 3}
(-> (first data/orders)
    (assoc :status "shipped")
    (update :total - 20)
    (update-in [:items 0 :qty] inc)
    (dissoc :customer)
    (select-keys [:status :total :customer :items])
    (update :items #(map :qty %)))
;=> {:items [3 1] :status "shipped" :total 100}
(let [running (reduce (fn [acc {:keys [id total]}]
                        (conj acc {:id id :sum (+ total (or (:sum (last acc)) 0))}))
                      []
                      data/orders)]
  (map :sum running))
;=> [120 165 195 395 485]
(let [dates (map :placed data/orders)]
  {:first (first (sort dates)) :last (last (sort dates)) :days (count (distinct dates))})
;=> {:days 4 :first "2031-03-01" :last "2031-03-05"}
