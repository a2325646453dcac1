;; Sets: members, algebra, and what they are not.

#{} ;=> #{}
(set [3 1 3 2]) ;=> #{3 1 2}
(set "hello") ;=> #{"h" "e" "l" "o"}
(set (map :city [{:city "Ulm"} {:city "Kiel"} {:city "Ulm"}])) ;=> #{"Ulm" "Kiel"}
(count (set [1 1.0 "1"])) ;=> 3
(conj #{:a} :b :a) ;=> #{:a :b}
(conj #{} nil) ;=> #{nil}
(into #{:x} [:y :x]) ;=> #{:x :y}
(contains? #{"a" "b"} "b") ;=> true
(contains? #{nil} nil) ;=> true
(contains? #{[1 2]} [2 1]) ;=> false
(#{:red :blue} :red) ;=> :red
(#{:red :blue} :green) ;=> nil
(#{false} false) ;=> false
(if (#{false} false) :in :out) ;=> :out
(if (contains? #{false} false) :in :out) ;=> :in
(filter #{"pen" "ink"} ["ink" "desk" "pen"]) ;=> ["ink" "pen"]
(remove #{nil} [1 nil 2]) ;=> [1 nil 2]
(remove #{0} [1 0 2]) ;=> [1 2]
(some #{:admin} [:user :guest]) ;=> nil
(every? #{1 2 3} [3 1]) ;=> true
(not-any? #{0} [1 2]) ;=> true
(union #{1 2} #{2 3} #{9}) ;=> #{1 2 3 9}
(union) ;=> #{}
(intersection #{1 2 3} #{3 2 7}) ;=> #{2 3}
(intersection #{1} #{2}) ;=> #{}
(difference #{1 2 3} #{2} #{3}) ;=> #{1}
(difference #{} #{1}) ;=> #{}
(empty? (difference #{:a} #{:a :b})) ;=> true
(let [need #{:read :write} have #{:read}] (difference need have)) ;=> #{:write}
(= (union #{1} #{2}) #{2 1}) ;=> true
(count #{}) ;=> 0
(map inc #{3 1}) ;=> [4 2]
(reduce + 0 #{5 6}) ;=> 11
(sort (seq #{3 1 2})) ;=> [1 2 3]
(sort-by identity #{"b" "a"}) ;=> ["a" "b"]
(vec #{7}) ;=> [7]
(first #{1}) ;!! type_error
(sort #{2 1}) ;!! type_error
(take 1 #{1}) ;!! type_error
(distinct #{1 2}) ;!! type_error
(difference #{1} nil) ;=> #{1}
(difference [1] #{1}) ;!! type_error
(union #{1} [2]) ;!! type_error
(set? (set [])) ;=> true
(coll? #{1}) ;=> true
(seq? #{1}) ;=> false
(type #{}) ;=> :set
(group-by even? #{1 2 3}) ;=> {false [1 3] true [2]}
(for [x #{1 2} y #{3}] (+ x y)) ;=> [4 5]
(let [#{a} #{1}] a) ;!! unsupported_pattern
(let [[a] #{1}] a) ;!! destructure_error
(empty? #{}) ;=> true
(not-empty #{}) ;=> nil
(apply max #{4 9 2}) ;=> 9
(sum #{1.5 2}) ;=> 3.5
(get #{:a} :a) ;=> nil
(assoc #{} :a 1) ;!! type_error
(dissoc #{:a} :a) ;!! type_error
(let [seen #{"a"}] (filter #(not (contains? seen %)) ["a" "b"])) ;=> ["b"]
(intersection (set (keys {:a 1 :b 2})) #{:b :c}) ;=> #{:b}
