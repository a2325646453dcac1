;; return and fail: they end the program from any depth.

(return 5) ;=> 5
(return {:total 3}) ;=> {:total 3}
(return nil) ;=> nil
(do (return 1) (inc nil)) ;=> 1
(+ 1 (return 2)) ;=> 2
[(return :first) (return :second)] ;=> :first
(map (fn [x] (if (> x 1) (return x) x)) [1 2 3]) ;=> 2
(reduce (fn [acc x] (if (neg? x) (return acc) (+ acc x))) 0 [4 5 -1 7]) ;=> 9
(doseq [x [3 8 12]] (when (> x 5) (return x))) ;=> 8
(loop [i 0] (if (= i 7) (return i) (recur (inc i)))) ;=> 7
(defn check [x] (when (neg? x) (return :negative)) x) [(check 1) (check -1)] ;=> :negative
(let [x (if true (return "early") 1)] (str x " late")) ;=> "early"
(if (return 1) 2 3) ;=> 1
(-> {:n 1} :n inc return) ;=> 2
(->> [1 2] (map inc) (return)) ;=> [2 3]
(return) ;!! invalid_arity
(return 1 2) ;!! invalid_arity
(return (inc nil)) ;!! type_error
(return (return 1)) ;=> 1
(return (fail :inner)) ;!! fail :inner
(fail :out-of-stock) ;!! fail :out-of-stock
(fail {:reason :no_data :message "nothing found"}) ;!! fail {:message "nothing found" :reason :no_data}
(fail "plain text") ;!! fail "plain text"
(fail nil) ;!! fail nil
(fail) ;!! invalid_arity
(fail 1 2) ;!! invalid_arity
(do (println "trying") (fail :stop) (println "never"))
;>> trying
;!! fail :stop
(map #(if (odd? %) (fail {:odd %}) %) [2 4 5]) ;!! fail {:odd 5}
(when (empty? []) (fail :empty)) ;!! fail :empty
(when (empty? [1]) (fail :empty)) ;=> nil
(or (:id {}) (fail :no-id)) ;!! fail :no-id
(or (:id {:id 4}) (fail :no-id)) ;=> 4
(let [{:keys [id] :or {id (fail "id is required")}} {}] id) ;!! fail "id is required"
(let [{:keys [id] :or {id (fail "id is required")}} {:id 9}] id) ;=> 9
(get {:a 1} :a (fail :eager)) ;!! fail :eager
(and true (fail :reached)) ;!! fail :reached
(and false (fail :reached)) ;=> false
(pmap (fn [x] (fail x)) [1]) ;!! pmap_error
(pmap (fn [x] (return x)) [1 2]) ;!! pmap_error
(pcalls #(return 1)) ;!! pcalls_error
(task "t" (return 5)) ;=> 5
(task "t" (fail :inside)) ;!! fail :inside
(def kept 3) (return kept) ;=> 3
(map return [1 2]) ;!! unbound_var
(defn require-all [m ks]
  (let [missing (remove #(contains? m %) ks)]
    (when (seq missing)
      (fail {:reason :missing_fields :fields missing}))
    m))
(require-all {:id 1 :name "x"} [:id :name :email :zip])
;!! fail {:fields [:email :zip] :reason :missing_fields}
(defn require-all [m ks]
  (let [missing (remove #(contains? m %) ks)]
    (when (seq missing)
      (fail {:reason :missing_fields :fields missing}))
    m))
(require-all {:id nil "name" "x"} [:id :name])
;=> {:id nil "name" "x"}
(let [total (sum-by :total (filter (where :status = "open") data/orders))]
  (if (> total 100)
    (fail {:reason :too_much :total total})
    (return {:total total})))
;=> {:total 75}
(doseq [{:keys [id status items]} data/orders
        {:keys [sku qty]} items]
  (when (and (= status "open") (> qty (get data/stock sku 0)))
    (fail {:reason :out_of_stock :order id :sku sku})))
;=> nil
(doseq [{:keys [id items]} data/orders
        {:keys [sku qty]} items]
  (when (> qty (get data/stock sku 0))
    (fail {:reason :out_of_stock :order id :sku sku})))
;!! fail {:order 101 :reason :out_of_stock :sku "desk"}
