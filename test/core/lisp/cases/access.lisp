;; Reading by key, and calling what is no function.

;; Keys: keyword and text
(:k {"k" 1}) ;=> 1
("k" {:k 1}) ;!! not_callable
({:k 1} "k") ;=> 1
({"k" 1} :k 5) ;=> 1
({"k" nil} :k 5) ;=> nil
(:k {"k" nil} 5) ;=> nil
(:k {:k 1 "k" 2}) ;=> 1
(get {:k 1 "k" 2} "k") ;=> 2
(:user-id {"user_id" 1}) ;=> nil
(select-keys {"a" 1} [:a]) ;=> {:a 1}
(select-keys {:a 1 :b 2} ["a"]) ;=> {"a" 1}
(contains? {"a" 1} :a) ;=> true
(= {:a 1} {"a" 1}) ;=> false
(merge {:a 1} {"a" 2}) ;=> {:a 1 "a" 2}
(conj {:a 1} ["a" 2]) ;=> {:a 1 "a" 2}
(into {:a 1} [["a" 2]]) ;=> {:a 1 "a" 2}
(assoc {"a" 1} :a 2) ;=> {"a" 2}
(dissoc {"a" 1} :a) ;=> {}
(update {"a" 1} :a inc) ;=> {"a" 2}
(update-in {"a" {"b" 1}} [:a :b] inc) ;=> {"a" {"b" 2}}
(contains? #{:a} "a") ;=> false
(contains? ["a"] :a) ;=> false
(map :a [{"a" 1} {:a 2} 5 nil "x"]) ;=> [1 2 nil nil nil]
(filter :a [{"a" false} {:a 2}]) ;=> [{:a 2}]
(remove :a [{"a" false} {:a 2}]) ;=> [{"a" false}]
(find :a [{"a" false} {:a 2}]) ;=> {:a 2}
(take-while :a [{:a 1} {} {:a 1}]) ;=> [{:a 1}]
(drop-while :a [{:a 1} {} {:a 1}]) ;=> [{} {:a 1}]
(group-by :a [{"a" 1}]) ;=> {1 [{"a" 1}]}
(group-by "a" [{:a 1}]) ;=> {1 [{:a 1}]}
(sort-by "a" [{:a 2} {"a" 1}]) ;=> [{"a" 1} {:a 2}]
(sort-by [:a :b] [{:a {:b 2}} {:a {:b 1}}]) ;=> [{:a {:b 1}} {:a {:b 2}}]
(min-by "a" [{:a 2} {"a" 1}]) ;=> {"a" 1}
(max-by [:a "b"] [{:a {:b 2}} {:a {:b 1}}]) ;=> {:a {:b 2}}
(sum-by [:a :b] [{:a {:b 2}} {:a {:b 1}}]) ;=> 3
(avg-by "a" [{:a 1} {:a 2}]) ;=> 1.5
(distinct-by "a" [{:a 1 :b 1} {:a 1 :b 2}]) ;=> [{:a 1 :b 1}]
(get [10 20] 0) ;=> 10
(get [10 20] -1) ;=> nil
(get [10 20] 5 :d) ;=> :d
(get [10 20] 1.0) ;=> nil
(get-in [[1 2] [3]] [0 1]) ;=> 2
(get-in [{:a 1}] [0 "a"]) ;=> 1
(get nil :a) ;=> nil
(get nil :a 1) ;=> 1
(get 5 :a) ;!! type_error
(get :k :a) ;!! type_error
(get #{1} 1) ;=> nil
(get #{1} 1 9) ;=> 9
(get "a" 0) ;!! type_error
(get-in nil [:a]) ;=> nil
(get-in nil [:a] 3) ;=> 3
(get-in {:a 1} []) ;=> {:a 1}
(get-in {:a 1} :a) ;!! type_error
(get-in {:a 1} nil) ;=> {:a 1}
(get-in 5 [:a]) ;!! type_error
(get-in {:a "x"} [:a 0]) ;=> nil
(get-in {:a {:b nil}} [:a :b] :d) ;=> :d

;; Text by characters
(count "né") ;=> 2
(count "👨‍👩‍👧") ;=> 1
(reverse "né") ;=> ["é" "n"]
(first "👍🏽a") ;=> "👍🏽"
(map identity {:a 1}) ;=> [[:a 1]]
(subs "👨‍👩‍👧abc" 1 2) ;=> "a"
(index-of "👨‍👩‍👧abc" "b") ;=> 2
(vec {:a 1 :b 2}) ;=> [[:a 1] [:b 2]]

;; Calling values
(:k) ;!! invalid_keyword_call
(:k {} 1 2) ;!! invalid_keyword_call
(:k nil) ;=> nil
(:k nil 5) ;=> 5
(:k 5) ;=> nil
(:k "x" 2) ;=> 2
(:k [1]) ;=> nil
(:k #{:k}) ;=> nil
({:a 1}) ;!! invalid_map_call
({:a 1} :a :b :c) ;!! invalid_map_call
(#{1 2} 1) ;=> 1
(#{1 2} 3) ;=> nil
(#{nil} nil) ;=> nil
(#{1} 1 2) ;!! arity_error
(#{1}) ;!! arity_error
(true 1) ;!! not_callable
(nil 1) ;!! not_callable
(false) ;!! not_callable
(5 1) ;!! not_callable
("s") ;!! not_callable
([1 2] 0) ;!! not_callable
(1.5) ;!! not_callable
((fn [x] x)) ;!! arity_mismatch
((fn [x] x) 1 2) ;!! arity_mismatch
((fn [x & r] r)) ;!! arity_mismatch
((fn [x & r] r) 1) ;=> []
(map (fn [a b c d e] 1) [1]) ;!! arity_mismatch
(reduce (fn [a b & r] (+ a b)) [1 2 3]) ;=> 6
(reduce (fn [& r] (apply + r)) [1 2 3]) ;=> 6
(map {:a 1} [:a :b]) ;=> [1 nil]
(map #{1} [1 2]) ;=> [1 nil]
(filter "a" [{:a 1}]) ;!! type_error
(filter [:a] [{:a 1}]) ;!! type_error
(filter 5 [1]) ;!! type_error
(filter nil [1]) ;!! type_error
(filter if [1]) ;!! unbound_var
(map 5 []) ;!! type_error
(map (fn [x] (/ x nil)) [1]) ;!! type_error
(map (fn [x] (mod x 0)) [1]) ;!! arithmetic_error
(group-by :a 5) ;!! type_error
