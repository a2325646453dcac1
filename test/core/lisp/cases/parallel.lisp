;; pmap and pcalls: results in order, failures, what a branch keeps.

(pmap inc [1 2 3]) ;=> [2 3 4]
(pmap inc nil) ;=> []
(pmap upcase "ab") ;=> ["A" "B"]
(pmap (fn [[k v]] [v k]) {:a 1}) ;=> [[1 :a]]
(pmap :id [{:id 1} {:id 2}]) ;=> [1 2]
(pmap #(* % %) #{3}) ;=> [9]
(pmap {:a 1} [:a :b]) ;=> [1 nil]
(pmap inc 5) ;!! type_error
(pmap inc) ;!! invalid_arity
(pmap + [1] [2]) ;!! invalid_arity
(pmap :id {:id 1}) ;!! type_error
(pmap inc [1 nil 3]) ;!! pmap_error
(pmap (fn [a b] a) [1]) ;!! pmap_error
(pmap (fn [x] (undefined-fn x)) [1]) ;!! unbound_var
(pcalls #(+ 1 2) #(str "a" "b")) ;=> [3 "ab"]
(pcalls (fn [] 1)) ;=> [1]
(pcalls (fn [x] x)) ;!! pcalls_error
(pcalls 5) ;!! pcalls_error
(pcalls #(inc nil)) ;!! pcalls_error
(pcalls #(do 1) #(mod 1 0)) ;!! pcalls_error
(pmap (fn [row] (pmap inc row)) [[1 2] [3]]) ;=> [[2 3] [4]]
(pmap (fn [n] (pcalls #(+ n 1) #(* n 2))) [5]) ;=> [[6 10]]
(do (def x 1) (pmap (fn [_] (def x 2)) [1]) x) ;=> 1
(let [k 10] (pmap #(+ k %) [1 2])) ;=> [11 12]
(do (defn f [n] (* 2 n)) (pmap f [4])) ;=> [8]
(do (pmap println [1 2]) :quiet) ;=> :quiet
(reduce + (pmap count ["a" "bb" "ccc"])) ;=> 6
(->> [1 2 3] (pmap #(* 10 %)) (filter #(> % 10))) ;=> [20 30]
(count (pmap identity (range 200))) ;=> 200
(pmap (fn [n] (reduce + (range n))) [10 100]) ;=> [45 4950]
(pmap (fn [n] (loop [i 0] (if (< i n) (recur (inc i)) i))) [3 4]) ;=> [3 4]
(pmap (fn [x] (task-reset "t")) [1]) ;!! pmap_error
(map (fn [x] (first (pmap inc [x]))) [1 2]) ;=> [2 3]
(pmap (fn [n] (if (odd? n) (mod n 0) n)) [2 4]) ;=> [2 4]
(let [[pen page] (pcalls #(tool/stock {:sku "pen"}) #(tool/page {:n 1}))]
  {:pen (:left pen) :ids (:ids page)})
;=> {:ids [101 102] :pen 4}
(let [pages (pmap (fn [n] (:ids (tool/page {:n n}))) [3 1 2])]
  (sort (apply concat pages)))
;=> [101 102 103 104 105]
(->> data/orders
     (pmap (fn [{:keys [id items]}]
             [id (every? (fn [{:keys [sku qty]}] (<= qty (:left (tool/stock {:sku sku})))) items)]))
     (into {}))
;=> {101 false 102 true 103 true 104 false 105 true}
(let [tried (pmap (fn [sku] (tool-try (tool/stock {:sku sku}))) ["pen" "chair" "desk"])]
  [(count (filter :ok tried)) (map #(get-in % [:error :code]) (remove :ok tried))])
;=> [2 ["unknown_sku"]]
(pmap (fn [customer]
        (let [mine (filter (where :customer = (:id customer)) data/orders)]
          [(:name customer) (sum-by :total mine)]))
      data/customers)
;=> [["Ada" 150] ["Bo" 45] ["Cem" 200]]
(let [parts (partition-all 2 (map :total data/orders))
      sums (pmap (fn [p] (reduce + p)) parts)]
  [sums (reduce + sums)])
;=> [[165 230 90] 485]
