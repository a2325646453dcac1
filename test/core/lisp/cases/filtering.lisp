;; Which collections are taken, and what comes out.

;; Filtering
(filter odd? "abc") ;=> []
(filter #{"a"} "abca") ;=> ["a" "a"]
(filter odd? #{1 2}) ;=> [1]
(filter :a #{{:a 1}}) ;=> [{:a 1}]
(filter) ;!! arity_error
(filter odd?) ;!! arity_error
(filter odd? [1] [2]) ;!! arity_error
(remove (fn [[k v]] (> v 1)) {:a 1 :b 2}) ;=> [[:a 1]]
(find #{2 3} [1 3 2]) ;=> 3
(find odd? "abc") ;=> nil
(find odd? nil) ;=> nil
(some odd? [2 3]) ;=> true
(some identity [nil 5]) ;=> 5
(some #{2} #{2}) ;=> 2
(some :a [{:a 5}]) ;=> true
(some :a [{:a nil}]) ;=> nil
(some odd? nil) ;=> nil
(some odd? []) ;=> nil
(some #(if (= % "b") % nil) "abc") ;=> "b"
(some even? {:a 2}) ;=> nil
(every? odd? "") ;=> true
(every? :a [{:a 1} {}]) ;=> false
(every? #{1} [1 1]) ;=> true
(every? odd? nil) ;=> true
(not-any? odd? nil) ;=> true
(not-any? :a [{:a 1}]) ;=> false
(contains? nil :a) ;=> false
(contains? #{1} 1.0) ;=> false
(contains? [1 2] 3) ;=> false
(contains? 5 1) ;!! type_error
(contains? [[1] 2] [1]) ;=> true
(contains? {:a 1} "a") ;=> true
(contains? [nil] nil) ;=> true
(empty? {}) ;=> true
(empty? #{1}) ;=> false
(empty? nil) ;=> true
(empty? 0) ;!! type_error
(empty? :a) ;!! type_error
(not-empty "a") ;=> "a"
(not-empty {}) ;=> nil
(not-empty nil) ;=> nil
(not-empty 5) ;!! type_error

;; Transforming
(map inc #{1 2}) ;=> [2 3]
(map identity "ab") ;=> ["a" "b"]
(map inc nil) ;=> []
(map + [1 2] [10 20 30]) ;=> [11 22]
(map vector [1 2] nil) ;=> []
(map + [1] [2] [3]) ;=> [6]
(map :a nil) ;=> []
(map str "ab" "cd") ;=> ["ac" "bd"]
(map) ;!! arity_error
(map inc) ;!! arity_error
(map inc 5) ;!! type_error
(map inc :a) ;!! type_error
(mapv :k {:k 1}) ;!! type_error
(map :k {}) ;!! type_error
(map #(first %) {:a 1}) ;=> [:a]
(map nil [1]) ;!! type_error
(map-indexed (fn [i x] [i x]) "ab") ;=> [[0 "a"] [1 "b"]]
(map-indexed vector {:a 1}) ;=> [[0 [:a 1]]]
(map-indexed vector nil) ;=> []
(mapcat identity [[1] [2 3]]) ;=> [1 2 3]
(mapcat (fn [x] [x x]) "ab") ;=> ["a" "a" "b" "b"]
(mapcat :a [{:a [1]} {:a nil} {:a 5} {:a "xy"}]) ;=> [1 5 "xy"]
(mapcat (fn [x] x) [1]) ;!! type_error
(mapcat (fn [x] "ab") [1]) ;!! type_error
(mapcat (fn [x] nil) [1]) ;=> []
(mapcat (fn [x] #{1}) [1]) ;=> [1]
(mapcat (fn [x] {:a 1}) [1]) ;=> [[:a 1]]
(mapcat identity nil) ;=> []
(mapcat identity {:a 1}) ;=> [:a 1]
(pluck :a [{:a 1} {:b 2} nil 5]) ;=> [1 nil nil nil]
(pluck :a nil) ;=> []
(pluck :a {:a 1}) ;!! type_error
(pluck :a "abc") ;!! type_error
(pluck :a #{{:a 1}}) ;=> [1]
(pluck first [[1]]) ;=> [1]
(pluck 0 [[1]]) ;!! type_error
(pluck [0] [[1]]) ;=> [1]
(select-keys {:a 1} nil) ;=> {}
(select-keys nil [:a]) ;=> {}
(select-keys {:a 1} :a) ;!! type_error
(select-keys [1] [0]) ;!! type_error
(reduce + [1]) ;=> 1
(reduce + 10 nil) ;=> 10
(reduce + nil) ;=> nil
(reduce str "" "abc") ;=> "abc"
(reduce + #{1 2 3}) ;=> 6
(reduce (fn [acc [k v]] (+ acc v)) 0 {:a 1 :b 2}) ;=> 3
(reduce + 5 []) ;=> 5
(reduce (fn [a b] (throw a)) []) ;!! unbound_var
(reduce + 0 5) ;!! type_error
(reduce +) ;!! arity_error
(reduce + 1 2 3) ;!! arity_error
(reduce conj [] "ab") ;=> ["a" "b"]
(reduce max [3 1 9]) ;=> 9
(reduce :a [{:a 1} 2]) ;=> 1
(interleave [1 2] [3 4] [5 6]) ;=> [1 3 5 2 4 6]
(interleave [1] "ab") ;=> [1 "a"]
(interleave [1] nil) ;=> []
(interleave [1]) ;!! arity_error
(interpose "," ["a" "b"]) ;=> ["a" "," "b"]
(interpose "," nil) ;=> []
(interpose "," []) ;=> []
(interpose "," "ab") ;=> ["a" "," "b"]
(zip [1 2] [3]) ;=> [[1 3]]
(zip nil [1]) ;=> []
(zip "ab" [1 2]) ;!! type_error
(zip [1]) ;!! arity_error
(flatten [[1 [2]] [] nil]) ;=> [1 2 nil]
(flatten nil) ;=> []
(flatten {:a 1}) ;!! type_error
(flatten "abc") ;!! type_error
(flatten #{1}) ;!! type_error
(partition 2 [1 2 3]) ;=> [[1 2]]
(partition 2 1 [1 2 3]) ;=> [[1 2] [2 3]]
(partition 2 3 [1 2 3 4 5 6]) ;=> [[1 2] [4 5]]
(partition 3 3 [:x] [1 2 3 4]) ;=> [[1 2 3] [4 :x]]
(partition 3 3 [:x :y :z] [1 2 3 4]) ;=> [[1 2 3] [4 :x :y]]
(partition 2 2 [0] [1 2]) ;=> [[1 2]]
(partition 2 "abcd") ;=> [["a" "b"] ["c" "d"]]
(partition 2 nil) ;=> []
(partition 2 {:a 1 :b 2}) ;=> [[[:a 1] [:b 2]]]
(partition 2 #{1 2}) ;=> [[1 2]]
(partition -1 [1]) ;!! type_error
(partition 1.5 [1]) ;!! type_error
(partition 2 0 [1]) ;!! type_error
(partition 2 5) ;!! type_error
(partition 2 2 nil [1]) ;=> [[1]]
(partition 3 1 [:p] [1 2 3 4]) ;=> [[1 2 3] [2 3 4] [3 4 :p]]
(partition-all 2 [1 2 3]) ;=> [[1 2] [3]]
(partition-all 3 1 [1 2 3 4 5]) ;=> [[1 2 3] [2 3 4] [3 4 5] [4 5]]
(partition-all 2 3 [1 2 3 4]) ;=> [[1 2] [4]]
(partition-all 2 nil) ;=> []
(partition-all 0 [1]) ;!! type_error
(combinations [1 2 3] 2) ;=> [[1 2] [1 3] [2 3]]
(combinations [1 2] 0) ;=> [[]]
(combinations [] 0) ;=> [[]]
(combinations [1] 2) ;=> []
(combinations [1] 1.5) ;=> []
(combinations [1] "a") ;=> []
(combinations nil 1) ;=> []
(combinations nil 0) ;=> [[]]
(combinations {:a 1} 1) ;=> [[[:a 1]]]
(combinations #{1 2} 2) ;=> [[1 2]]
(combinations 5 1) ;!! type_error
(walk inc (fn [x] (reduce + x)) [1 2]) ;=> 5
(walk inc identity #{1 2}) ;=> #{2 3}
(walk inc identity 5) ;=> 5
(walk inc inc 5) ;=> 6
(walk inc identity "abc") ;=> "abc"
(walk inc identity nil) ;=> nil
(walk identity identity {:a 1}) ;=> {:a 1}
(walk first identity {:a 1}) ;!! type_error
(postwalk #(if (number? %) (inc %) %) {:a [1 2]}) ;=> {:a [2 3]}
(prewalk #(if (map? %) (assoc % :x 1) %) {:a {}}) ;=> {:a {:x 1} :x 1}
(postwalk identity #{1}) ;=> #{1}
(tree-seq vector? identity [1 [2]]) ;=> [[1 [2]] 1 [2] 2]
(tree-seq map? :c {:c [{:c nil}]}) ;=> [{:c [{:c nil}]} {:c nil}]
(tree-seq :c :c {:c [{:v 1}]}) ;=> [{:c [{:v 1}]} {:v 1}]
(tree-seq odd? odd? 2) ;=> [2]
(tree-seq map? vals {:a 1}) ;=> [{:a 1} 1]
