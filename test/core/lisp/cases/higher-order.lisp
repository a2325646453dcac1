;; Functions as values: predicates, juxt, apply, fnil, keys in place of functions.

(apply str "a" ["b" "c"]) ;=> "abc"
(apply max (map :n [{:n 3} {:n 8}])) ;=> 8
(apply merge-all [1]) ;!! unbound_var
(apply concat [[1] [2] [3]]) ;=> [1 2 3]
(apply map vector [[1 2] [3 4]]) ;=> [[1 3] [2 4]]
(apply hash-map [:a 1]) ;!! unbound_var
(apply (fn [a & more] [a (count more)]) [1 2 3]) ;=> [1 2]
(apply inc [1 2]) ;!! arity_error
(apply + 5) ;!! type_error
(apply + {:a 1}) ;=> [:a 1]
((juxt :name (fn [m] (count (:tags m)))) {:name "x" :tags [1 2]}) ;=> ["x" 2]
(map (juxt min max) [1 2]) ;=> [[1 1] [2 2]]
((juxt first last count) [4 5 6]) ;=> [4 6 3]
(into {} (map (juxt :id :name) [{:id 1 :name "A"} {:id 2 :name "B"}])) ;=> {1 "A" 2 "B"}
(into {} (map (juxt identity count) ["a" "bb"])) ;=> {"a" 1 "bb" 2}
(sort-by (juxt :b :a) [{:a 2 :b 1} {:a 1 :b 2} {:a 1 :b 1}]) ;=> [{:a 1 :b 1} {:a 2 :b 1} {:a 1 :b 2}]
(filter (where :age >= 18) [{:age 17} {:age 18} {"age" 40} {}]) ;=> [{:age 18} {"age" 40}]
(filter (where :status = "open") [{:status :open} {:status "open"} {:status "shut"}]) ;=> [{:status :open} {:status "open"}]
(filter (where :tags includes "new") [{:tags ["new"]} {:tags []}]) ;=> [{:tags ["new"]}]
(filter (where :name includes "an") [{:name "Anna"} {:name "Joan"}]) ;=> [{:name "Joan"}]
(count (filter (where [:to :city] in ["Ulm" "Kiel"]) [{:to {:city "Ulm"}} {:to {:city "Bonn"}} {}])) ;=> 1
(let [limit 10] (map (where :n < limit) [{:n 9} {:n 10}])) ;=> [true false]
(filter (where :done) [{:id 1 :done true} {:id 2}]) ;=> [{:done true :id 1}]
(remove (where :done) [{:id 1 :done true} {:id 2}]) ;=> [{:id 2}]
(filter (all-of (where :a > 1) (where :b)) [{:a 2 :b 1} {:a 2} {:a 0 :b 1}]) ;=> [{:a 2 :b 1}]
(filter (any-of nil? zero?) [1 nil 0 "0"]) ;=> [nil 0]
(filter (none-of nil? neg?) [1 nil -1]) ;=> [1]
((all-of number? pos? even?) "4") ;=> false
((any-of #{1 2} odd?) 7) ;=> true
(every? (any-of string? keyword?) ["a" :b]) ;=> true
(where :a) ;=> #<fn>
(where :a == 1) ;!! invalid_where_operator
(where :a > ) ;!! invalid_where_form
(where 5 = 1) ;!! invalid_where_form
((fnil + 0) nil 3) ;=> 3
((fnil upcase "none") nil) ;=> "NONE"
(update {} :log (fnil conj []) "first") ;=> {:log ["first"]}
(reduce (fn [m [k v]] (update m k (fnil + 0) v)) {} [["a" 1] ["b" 2] ["a" 3]]) ;=> {"a" 4 "b" 2}
(map :a [{:a 1} {:a 2}]) ;=> [1 2]
(map {1 "one" 2 "two"} [2 3]) ;=> ["two" nil]
(map #{2 3} [1 2]) ;=> [nil 2]
(filter {:a true :b false} [:a :b :c]) ;=> [:a]
(sort-by {"low" 1 "mid" 2 "high" 3} ["high" "low" "mid"]) ;=> ["low" "mid" "high"]
(group-by "kind" [{"kind" "x" "n" 1} {:kind "y"}]) ;=> {"x" [{"kind" "x" "n" 1}] "y" [{:kind "y"}]}
(group-by count ["a" "bb" "c"]) ;=> {1 ["a" "c"] 2 ["bb"]}
(sum-by :qty [{:qty 2} {:qty nil} {"qty" 3}]) ;=> 5
(avg-by [:score :math] [{:score {:math 1}} {:score {:math 2}} {}]) ;=> 1.5
(max-by :n [{:n 1} {:n 5} {:n 5 :second true}]) ;=> {:n 5}
(min-by count ["abc" "d" "ef"]) ;=> "d"
(max-key val [:a 1] [:b 4]) ;=> [:b 4]
(apply min-key abs [-4 3 -2]) ;=> -2
(map [:a] [{:a 1}]) ;!! type_error
(pluck :a [{:a 1} {"a" 2} {}]) ;=> [1 2 nil]
(map identity [1 2]) ;=> [1 2]
(update-vals {:a [1 2] :b []} count) ;=> {:a 2 :b 0}
(update-vals (group-by :t [{:t 1 :n 2} {:t 1 :n 3}]) #(sum-by :n %)) ;=> {1 5}
(map #(%1 3) [inc dec (fn [x] (* x x))]) ;=> [4 2 9]
((if true + -) 3 2) ;=> 5
(let [f :a] (f {:a 1})) ;=> 1
(let [twice (fn [f] (fn [x] (f (f x))))] ((twice (twice inc)) 0)) ;=> 4
(map apply [+ *] [[1 2] [3 4]]) ;=> [3 12]
(reduce (fn [f g] (fn [x] (g (f x)))) [inc #(* 2 %) dec]) ;=> #fn[x]
((reduce (fn [f g] (fn [x] (g (f x)))) [inc #(* 2 %) dec]) 3) ;=> 7
(type (where :a)) ;=> :function
(type :a) ;=> :keyword
(sort (fn [a b] (> (count a) (count b))) ["a" "ccc" "bb"]) ;=> ["ccc" "bb" "a"]
(defn on-field [k f] (fn [m] (update m k f))) (map (on-field :n inc) [{:n 1} {:n 5}]) ;=> [{:n 2} {:n 6}]
(defn until [p f x] (if (p x) x (recur p f (f x)))) (until #(> % 50) #(* 2 %) 3) ;=> 96
(defn memo-sum [xs] (reduce (fn [{:keys [sum n]} x] {:sum (+ sum x) :n (inc n)}) {:sum 0 :n 0} xs)) (memo-sum [4 5]) ;=> {:n 2 :sum 9}
