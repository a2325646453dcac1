;; Pipelines over vectors, texts and maps: mapping, folding, cutting, pairing.

;; Mapping and filtering
(map * [1 2 3] [4 5 6]) ;=> [4 10 18]
(map vector [:a :b] [1 2] ["x" "y"]) ;=> [[:a 1 "x"] [:b 2 "y"]]
(map (fn [[k v]] [v k]) {:a 1 :b 2}) ;=> [[1 :a] [2 :b]]
(into {} (map (fn [[k v]] [v k]) {:a 1 :b 2})) ;=> {1 :a 2 :b}
(map count ["a" [1 2] {:k 1} #{} nil]) ;=> [1 2 1 0 0]
(map upcase "abc") ;=> ["A" "B" "C"]
(map first ["anna" "bob"]) ;=> ["a" "b"]
(map-indexed (fn [i s] (str (inc i) ". " s)) ["milk" "bread"]) ;=> ["1. milk" "2. bread"]
(mapcat #(split % ",") ["a,b" "c"]) ;=> ["a" "b" "c"]
(mapcat :tags [{:tags ["x" "y"]} {:tags []} {:tags ["z"]}]) ;=> ["x" "y" "z"]
(mapcat (fn [n] (range n)) [1 2 3]) ;=> [0 0 1 0 1 2]
(filter (fn [[k v]] (> v 1)) {:a 1 :b 2}) ;=> [[:b 2]]
(into {} (filter (fn [[k v]] v) {:a 1 :b nil :c false})) ;=> {:a 1}
(remove empty? ["" "a" nil []]) ;=> ["a"]
(filter odd? (range 8)) ;=> [1 3 5 7]
(filter :paid [{:id 1 :paid true} {:id 2 :paid nil}]) ;=> [{:id 1 :paid true}]
(find #(> % 3) [1 5 9]) ;=> 5
(some #(when (> % 3) (* 10 %)) [1 5 9]) ;=> 50
(every? string? []) ;=> true
(keep :a [{:a 1}]) ;!! unbound_var
(filter some? (map :a [{:a 1} {} {:a 3}])) ;=> [1 3]
(pluck :name [{:name "A"} {:name "B"}]) ;=> ["A" "B"]
(pluck [:to :zip] [{:to {:zip 1}} {:to nil}]) ;=> [1 nil]
(count (filter #(includes? % "x") ["ax" "b" "xx"])) ;=> 2
(sum (map count ["ab" "c"])) ;=> 3

;; Folding
(reduce + 100 [1 2]) ;=> 103
(reduce * 1 []) ;=> 1
(reduce (fn [m x] (update m x (fnil inc 0))) {} [:a :b :a]) ;=> {:a 2 :b 1}
(reduce (fn [acc x] (if (> x acc) x acc)) [3 8 5]) ;=> 8
(reduce (fn [acc [k v]] (assoc acc v k)) {} {:x 1}) ;=> {1 :x}
(reduce (fn [acc x] (str x acc)) "" ["a" "b" "c"]) ;=> "cba"
(reduce (fn [[lo hi] x] [(min lo x) (max hi x)]) [9 0] [4 7 2]) ;=> [2 7]
(reduce merge [{:a 1} {:b 2} {:a 3}]) ;=> {:a 3 :b 2}
(reduce (fn [sums x] (conj sums (+ x (or (last sums) 0)))) [] [1 2 3]) ;=> [1 3 6]
(reduce - [10 1 2]) ;=> 7
(reduce (fn [a b] (reduced a)) [1 2]) ;!! unbound_var
(reductions + [1 2]) ;!! unbound_var
(apply + (map :n [{:n 1} {:n 2}])) ;=> 3

;; Cutting
(partition 3 1 "abcd") ;=> [["a" "b" "c"] ["b" "c" "d"]]
(partition 2 2 [:pad] [1 2 3]) ;=> [[1 2] [3 :pad]]
(map (fn [[a b]] (- b a)) (partition 2 1 [1 4 9 16])) ;=> [3 5 7]
(map #(apply str %) (partition-all 3 "abcdefgh")) ;=> ["abc" "def" "gh"]
(into {} (partition 2 [:a 1 :b 2])) ;=> {:a 1 :b 2}
(take 2 {:a 1 :b 2 :c 3}) ;=> [[:a 1] [:b 2]]
(take-while #(not= % " ") "to be") ;=> ["t" "o"]
(apply str (take 3 "navigator")) ;=> "nav"
(drop-while neg? [-2 -1 3 -4]) ;=> [3 -4]
(distinct [3 1 3 2 1]) ;=> [3 1 2]
(distinct-by first ["apple" "avocado" "beet"]) ;=> ["apple" "beet"]
(frequencies "banana") ;=> {"a" 3 "b" 1 "n" 2}
(split-at 2 [1 2 3]) ;!! unbound_var
(partition-by odd? [1 1 2]) ;!! unbound_var
(let [p (group-by pos? [1 -1 2])] [(p true) (p false)]) ;=> [[1 2] [-1]]

;; Pairing and nesting
(zip [:a :b] [1 2]) ;=> [[:a 1] [:b 2]]
(into {} (zip ["x" "y"] [1 2])) ;=> {"x" 1 "y" 2}
(interleave [1 2 3] [:a :b]) ;=> [1 :a 2 :b]
(combinations ["a" "b" "c"] 2) ;=> [["a" "b"] ["a" "c"] ["b" "c"]]
(count (combinations (range 6) 3)) ;=> 20
(for [a [1 2] b [1 2] :when (not= a b)] [a b]) ;=> [[1 2] [2 1]]
(tree-seq :kids :kids {:id 1 :kids [{:id 2 :kids [{:id 3}]} {:id 4}]}) ;=> [{:id 1 :kids [{:id 2 :kids [{:id 3}]} {:id 4}]} {:id 2 :kids [{:id 3}]} {:id 3} {:id 4}]
(map :id (tree-seq :kids :kids {:id 1 :kids [{:id 2 :kids [{:id 3}]} {:id 4}]})) ;=> [1 2 3 4]
(filter number? (tree-seq vector? identity [1 [2 ["x" 3]]])) ;=> [1 2 3]
(postwalk #(if (string? %) (upcase %) %) {:a "x" :b ["y" {:c "z"}]}) ;=> {:a "X" :b ["Y" {:c "Z"}]}
(postwalk #(if (map? %) (dissoc % :secret) %) [{:id 1 :secret 2} {:in {:secret 3}}]) ;=> [{:id 1} {:in {}}]
(prewalk #(if (vector? %) (take 1 %) %) [[1 2] [3]]) ;=> [[1]]
(walk #(* 2 %) #(apply + %) [1 2 3]) ;=> 12
(take 3 (repeat 1)) ;!! unbound_var
(take 3 (range)) ;!! arity_error
(take 3 (iterate inc 1)) ;!! unbound_var
(lazy-seq [1]) ;!! unbound_var

;; Pipelines
(->> (range 10) (filter even?) (map #(* % %)) (reduce +)) ;=> 120
(->> "the cat and the hat" (re-seq #"\w+") frequencies (filter #(> (val %) 1))) ;=> [["the" 2]]
(->> ["b" "a" "c"] sort (join "")) ;=> "abc"
(->> [[:a 3] [:b 1]] (sort-by second) (map first)) ;=> [:b :a]
(->> {:x 3 :y 1 :z 2} (sort-by val >) (take 2) (map key)) ;=> [:x :z]
(->> (range 1 6) (map #(* % %)) (filter odd?) reverse) ;=> [25 9 1]
(->> "a1b22c333" (re-seq #"\d+") (map parse-long) (apply max)) ;=> 333
(->> [5 nil 3] (remove nil?) avg) ;=> 4.0
(->> ["x=1" "y=2"] (map #(split % "=")) (into {})) ;=> {"x" "1" "y" "2"}
(-> [3 1 2] sort reverse first) ;=> 3
(-> "  Trim Me " trim downcase (split " ")) ;=> ["trim" "me"]
(-> {:a {:b [10 20]}} :a :b (nth 1) inc) ;=> 21
(-> [1 2 3] (conj 4) count) ;=> 4
