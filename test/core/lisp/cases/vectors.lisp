;; Vectors: the only sequence. Ends, slices, places.

[] ;=> []
[1 "two" :three [4]] ;=> [1 "two" :three [4]]
(vector 1 [2] nil) ;=> [1 [2] nil]
(vec "ok") ;=> ["o" "k"]
(vec {:a 1}) ;=> [[:a 1]]
(list 1 2) ;!! unbound_var
(cons 1 [2]) ;!! unbound_var
(concat [1] [2 3]) ;=> [1 2 3]
(conj [1] 2 3) ;=> [1 2 3]
(conj [] [1 2]) ;=> [[1 2]]
(into [9] [8 7]) ;=> [9 8 7]
(into [] (map inc [1 2])) ;=> [2 3]
(count [nil nil]) ;=> 2
(first [[1 2] 3]) ;=> [1 2]
(last [4 5 6]) ;=> 6
(second [4 5 6]) ;=> 5
(rest [4 5 6]) ;=> [5 6]
(butlast [4 5 6]) ;=> [4 5]
(next [4]) ;=> nil
(first (rest (rest [1 2 3]))) ;=> 3
(nth [:a :b :c] 2) ;=> :c
(nth [:a :b :c] 3) ;=> nil
(nth [:a :b :c] -1) ;=> :c
(nth [:a] 4 :none) ;=> :none
(get [:a :b] 1) ;=> :b
(get [:a :b] 2 :none) ;=> :none
([:a :b] 1) ;!! not_callable
(assoc [1 2 3] 1 :two) ;=> [1 :two 3]
(assoc [1 2] 2 3) ;=> [1 2 3]
(assoc [1 2] 4 5) ;!! type_error
(update [1 2 3] 2 * 10) ;=> [1 2 30]
(update [1] 1 inc) ;!! type_error
(get-in [[1 2] [3 4]] [1 0]) ;=> 3
(get-in [{:tags ["x" "y"]}] [0 :tags 1]) ;=> "y"
(get-in [[1]] [3 0] :none) ;=> :none
(assoc-in [[0 0] [0 0]] [1 0] 5) ;=> [[0 0] [5 0]]
(update-in [{:n 1}] [0 :n] inc) ;=> [{:n 2}]
(take 2 [5 6 7]) ;=> [5 6]
(take -2 [5 6 7]) ;=> [6 7]
(drop 2 [5 6 7]) ;=> [7]
(drop -1 [5 6 7]) ;=> [5 6]
(take-last 1 [5 6 7]) ;=> [7]
(drop-last 2 [5 6 7]) ;=> [5]
(drop-last [5 6 7]) ;=> [5 6]
(take-while #(< % 3) [1 2 3 1]) ;=> [1 2]
(drop-while #(< % 3) [1 2 3 1]) ;=> [3 1]
(reverse [1 [2 3]]) ;=> [[2 3] 1]
(contains? [:a :b] :b) ;=> true
(contains? [:a :b] 0) ;=> false
(index-of [1 2] 2) ;!! type_error
(vector? (map inc [1])) ;=> true
(vector? "a") ;=> false
(empty? [nil]) ;=> false
(not-empty [0]) ;=> [0]
(= [1 2] (vec (range 1 3))) ;=> true
(flatten [1 [2 [3 [{:a [4]}]]]]) ;=> [1 2 3 {:a [4]}]
(range 5) ;=> [0 1 2 3 4]
(range 2 8 2) ;=> [2 4 6]
(range 3 0 -1) ;=> [3 2 1]
(range 0 3 -1) ;=> []
(range 1 2 0) ;=> []
(map (fn [_] "-") (range 3)) ;=> ["-" "-" "-"]
(let [v [1 2 3]] (concat (take 1 v) [:new] (drop 1 v))) ;=> [1 :new 2 3]
(let [v [1 2 3 4]] [(take (quot (count v) 2) v) (drop (quot (count v) 2) v)]) ;=> [[1 2] [3 4]]
(let [v [:a :b :c]] (filter some? (map-indexed (fn [i x] (if (= i 1) nil x)) v))) ;=> [:a :c]
(let [rotate (fn [n v] (concat (drop n v) (take n v)))] (rotate 2 [1 2 3 4 5])) ;=> [3 4 5 1 2]
(let [v [3 9 2]] (first (filter #(= (nth v %) 9) (range (count v))))) ;=> 1
(ffirst [[:a 1] [:b 2]]) ;=> :a
(fnext [1 2]) ;=> 2
(seq [[]]) ;=> [[]]
(subvec [1 2 3] 1) ;!! unbound_var
(pop [1 2]) ;!! unbound_var
(peek [1 2]) ;!! unbound_var
