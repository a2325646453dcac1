;; Slices, order and ties.

;; Ordering and slicing
(sort "cab") ;=> ["a" "b" "c"]
(sort nil) ;=> []
(sort :desc [1 3 2]) ;=> [3 2 1]
(sort :asc [3 1]) ;=> [1 3]
(sort :foo [1 2]) ;!! type_error
(sort nil [1 2]) ;!! type_error
(sort "x" [1 2]) ;!! type_error
(sort compare [3 1 2]) ;=> [1 2 3]
(sort (fn [a b] (compare b a)) [3 1 2]) ;=> [3 2 1]
(sort [1 2] >) ;!! type_error
(sort - [3 1 2]) ;=> [1 2 3]
(sort <= [3 1 2]) ;=> [1 2 3]
(sort >= [3 1 2 3]) ;=> [3 3 2 1]
(sort [true false nil :a]) ;=> [:a false nil true]
(sort [[2] [1 2] [1]]) ;=> [[1] [1 2] [2]]
(sort [1.0 1 0.5]) ;=> [0.5 1.0 1]
(sort ["b" "A" "a"]) ;=> ["A" "a" "b"]
(sort [{:b 1} {:a 1} {:a 1 :b 0}]) ;=> [{:a 1} {:b 1} {:a 1 :b 0}]
(sort > ["a" "b"]) ;=> ["b" "a"]
(sort > [1 "a"]) ;=> ["a" 1]
(sort 5) ;!! type_error
(sort (fn [a] a) [1 2]) ;!! arity_mismatch
(sort-by :a [{:a 2} {:a 1} {}]) ;=> [{:a 1} {:a 2} {}]
(sort-by count ["bb" "a"]) ;=> ["a" "bb"]
(sort-by identity "cab") ;=> ["a" "b" "c"]
(sort-by identity nil) ;=> []
(sort-by val > {:a 1 :b 2}) ;=> [[:b 2] [:a 1]]
(sort-by first {:b 1 :a 2}) ;=> [[:a 2] [:b 1]]
(sort-by identity > #{1 2}) ;=> [2 1]
(sort-by identity > "ab") ;=> ["b" "a"]
(sort-by :a :desc [{:a 1} {:a 2}]) ;=> [{:a 2} {:a 1}]
(sort-by :a :up [{:a 1}]) ;!! type_error
(sort-by :a [{:a 1}] :desc) ;!! type_error
(sort-by :a "x" [{:a 1}]) ;!! type_error
(sort-by :a) ;!! arity_error
(sort-by [:a] [{:a 2} {:a 1}]) ;=> [{:a 1} {:a 2}]
(sort-by 5 [1]) ;!! type_error
(sort-by (juxt :a :b) [{:a 1 :b 2} {:a 1 :b 1}]) ;=> [{:a 1 :b 1} {:a 1 :b 2}]
(reverse [1 2]) ;=> [2 1]
(reverse nil) ;=> []
(reverse {:a 1}) ;!! type_error
(reverse #{1}) ;!! type_error
(first "ab") ;=> "a"
(first []) ;=> nil
(first {:a 1}) ;!! type_error
(second [1]) ;=> nil
(second nil) ;=> nil
(second "ab") ;=> "b"
(last []) ;=> nil
(last nil) ;=> nil
(last #{1}) ;!! type_error
(nth [1 2] 0) ;=> 1
(nth "abc" 1) ;=> "b"
(nth [1 2] -3) ;=> nil
(nth [1 2] 1.0) ;!! type_error
(nth [1 2] "a") ;!! type_error
(nth [nil] 0 5) ;=> nil
(nth nil 0) ;=> nil
(nth {:a 1} 0) ;!! type_error
(nth #{1} 0) ;!! type_error
(nth [1] 5 :d) ;=> :d
(rest [1 2]) ;=> [2]
(rest []) ;=> []
(rest nil) ;=> []
(rest "abc") ;=> ["b" "c"]
(rest {:a 1}) ;!! type_error
(butlast [1 2]) ;=> [1]
(butlast nil) ;=> []
(butlast "abc") ;=> ["a" "b"]
(next [1]) ;=> nil
(next []) ;=> nil
(next nil) ;=> nil
(next "ab") ;=> ["b"]
(next #{1}) ;!! type_error
(ffirst [[1 2]]) ;=> 1
(ffirst []) ;=> nil
(ffirst [nil]) ;=> nil
(ffirst [1]) ;!! type_error
(fnext [1 2 3]) ;=> 2
(nfirst [[1 2 3]]) ;=> [2 3]
(nfirst [[1]]) ;=> nil
(nnext [1 2 3]) ;=> [3]
(nnext [1 2]) ;=> nil
(ffirst nil) ;=> nil
(ffirst ["abc"]) ;=> "a"
(fnext "ab") ;=> "b"
(take 2 "abc") ;=> ["a" "b"]
(take 0 [1]) ;=> []
(take 5 [1]) ;=> [1]
(take -5 [1]) ;=> [1]
(take 2 #{1 2 3}) ;!! type_error
(drop 1 "abc") ;=> ["b" "c"]
(drop 5 [1]) ;=> []
(drop -5 [1]) ;=> []
(drop 1 {:a 1 :b 2}) ;=> [[:b 2]]
(take "a" [1]) ;!! type_error
(take nil [1]) ;!! type_error
(take [1] 2) ;!! type_error
(drop 1.5 [1]) ;!! type_error
(take 99999999999999999999 [1]) ;=> [1]
(take-last 2 "abc") ;=> ["b" "c"]
(take-last 0 [1]) ;=> []
(take-last -1 [1]) ;=> []
(take-last 1 nil) ;=> []
(take-last 1 {:a 1 :b 2}) ;=> [[:b 2]]
(take-last 1.0 [1]) ;!! type_error
(take-last 1 #{1}) ;!! type_error
(drop-last nil) ;=> []
(drop-last 1 nil) ;=> []
(drop-last 0 [1]) ;=> [1]
(drop-last -1 [1]) ;=> [1]
(drop-last 1 "abc") ;=> ["a" "b"]
(drop-last "ab") ;=> ["a"]
(drop-last {:a 1}) ;=> []
(drop-last 0 "ab") ;=> ["a" "b"]
(take-while odd? nil) ;=> []
(take-while #(not= % "c") "abcd") ;=> ["a" "b"]
(drop-while #(not= % "c") "abcd") ;=> ["c" "d"]
(take-while (fn [[k v]] (= k :a)) {:a 1 :b 2}) ;=> [[:a 1]]
(take-while #{1} [1 1 2]) ;=> [1 1]
(take-while odd? #{1}) ;!! type_error
(distinct [1 1 2]) ;=> [1 2]
(distinct "aab") ;=> ["a" "b"]
(distinct nil) ;=> []
(distinct #{1}) ;!! type_error
(distinct {:a 1}) ;=> [[:a 1]]
(distinct [nil nil false]) ;=> [nil false]
(distinct [##NaN ##NaN]) ;=> [##NaN]
(seq [1]) ;=> [1]
(seq []) ;=> nil
(seq nil) ;=> nil
(seq "ab") ;=> ["a" "b"]
(seq #{}) ;=> nil
(seq {}) ;=> nil
(seq {:a 1}) ;=> [[:a 1]]
(seq 5) ;!! type_error
(range 0) ;=> []
(range -3) ;=> []
(range 3.5) ;=> [0 1 2 3]
(range 1 4) ;=> [1 2 3]
(range 4 1) ;=> []
(range 5 1 -1) ;=> [5 4 3 2]
(range 0 10 3) ;=> [0 3 6 9]
(range 0 1 0.5) ;=> [0 0.5]
(range 1.0 3) ;=> [1.0 2.0]
(range nil) ;!! type_error
(range nil 5) ;=> []
(range 1 nil 2) ;=> []
(range 1 5 -1) ;=> []
(range 1 2 3 4) ;!! arity_error
(range ##Inf) ;!! memory_exceeded
(range 0 ##Inf) ;!! memory_exceeded
(range 0 5 ##Inf) ;=> []
(range 0.0 1 0.1) ;=> [0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9]
