;; Functions, closures, definitions, threading.

;; Definitions
(def rate 3) ;=> #'rate
(def rate 3) (def rate (inc rate)) rate ;=> 4
(def total "sum of all" 12) total ;=> 12
(defonce start 1) (defonce start 2) start ;=> 1
(defn twice [x] (* 2 x)) ;=> #'twice
(defn twice [x] (* 2 x)) (twice 21) ;=> 42
(defn tax "19 percent" [net] (* net 0.5)) (tax 10) ;=> 5.0
(defn pair [a b] [b a]) (pair 1 2) ;=> [2 1]
(defn fact [n] (if (< n 2) 1 (* n (fact (dec n))))) (fact 20) ;=> 2432902008176640000
(defn fib [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (map fib (range 7)) ;=> [0 1 1 2 3 5 8]
(defn even2? [n] (if (zero? n) true (odd2? (dec n)))) (defn odd2? [n] (if (zero? n) false (even2? (dec n)))) (even2? 10) ;=> true
(defn helper [x] (base x)) (defn base [x] (+ x 100)) (helper 1) ;=> 101
(early 1) (defn early [x] x) ;!! unbound_var
(defn area ([w] (* w w)) ([w h] (* w h))) (area 2) ;!! invalid_form
(defn noop []) ;!! invalid_arity
(defn f [x] (println x) (inc x)) (f 1)
;>> 1
;=> 2
(def max 5) ;!! cannot_shadow_builtin
(defn count [x] x) ;!! cannot_shadow_builtin
(let [y 1] (def kept (+ y 1))) kept ;=> 2
(def f inc) (f 1) ;=> 2
(def f (fn [x] (* x scale))) (def scale 3) (f 2) ;=> 6
(def x 1) (defn get-x [] x) (def x 2) (get-x) ;=> 2
(def x 1) (let [x 5] x) ;=> 5
(def x 1) (let [x 5] #'x) ;=> 1
#'inc ;=> #<builtin>

;; fn and #( )
((fn [] 7)) ;=> 7
((fn [x y] (- x y)) 5 3) ;=> 2
((fn [& xs] (count xs))) ;=> 0
((fn [x & xs] [x (count xs)]) 1 2 3) ;=> [1 2]
(#(* % %) 5) ;=> 25
(#(- %2 %1) 1 5) ;=> 4
(#(str "<" % ">") "b") ;=> "<b>"
(#(vector % %) 1) ;=> [1 1]
(#(identity {:v %}) 3) ;=> {:v 3}
(#{:a}) ;!! arity_error
(map #(get {:a "x"} % "none") [:a :b]) ;=> ["x" "none"]
(map #(if (odd? %) :odd :even) [1 2]) ;=> [:odd :even]
(filter #(> (count %) 2) ["ab" "abc"]) ;=> ["abc"]
((fn [x] (fn [y] (+ x y))) 3) ;=> #fn[y]
(((fn [x] (fn [y] (+ x y))) 3) 4) ;=> 7
((fn [x] x x) 1) ;=> 1
(fn [x y]) ;!! invalid_arity
(fn) ;!! invalid_arity
(fn x x) ;!! invalid_form
((fn [a] a) 1 2) ;!! arity_mismatch
(inc) ;!! arity_error
(inc 1 2) ;!! arity_error
("text" 0) ;!! not_callable
(7) ;!! not_callable
((inc 1)) ;!! not_callable
(#(+ %1 %3) 1 2 3) ;=> 4
(#(+ % (#(* 2 %) 3)) 1) ;!! invalid_form

;; Closures
(let [n 10 add (fn [x] (+ x n))] (add 5)) ;=> 15
(let [n 10 add (fn [x] (+ x n)) n 20] (add 5)) ;=> 15
(let [make (fn [k] (fn [m] (get m k)))] (map (make :b) [{:b 1} {:b 2}])) ;=> [1 2]
(def adders (map (fn [n] #(+ n %)) [1 10 100])) (map #(% 5) adders) ;=> [6 15 105]
(let [pipeline [inc #(* 2 %) str]] (reduce (fn [v f] (f v)) 3 pipeline)) ;=> "8"
(let [compose (fn [f g] (fn [x] (f (g x))))] ((compose inc #(* 10 %)) 2)) ;=> 21
(let [ops {"+" + "*" *}] ((get ops "*") 6 7)) ;=> 42
(let [counter (fn [step] (fn [n] (+ n step)))] ((counter 2) ((counter 3) 0))) ;=> 5
(let [partial-of (fn [f a] (fn [b] (f a b)))] (map (partial-of - 10) [1 2])) ;=> [9 8]
(comp inc dec) ;!! unbound_var
(partial + 1) ;!! unbound_var
(constantly 1) ;!! unbound_var
(letfn [(f [x] x)] (f 1)) ;!! unbound_var

;; Threading
(-> 5 inc) ;=> 6
(-> 5 (- 2)) ;=> 3
(->> 5 (- 2)) ;=> -3
(-> 10 (/ 4) (* 2)) ;=> 5.0
(-> {:a 1} (assoc :b 2) (dissoc :a)) ;=> {:b 2}
(-> {:n 1} (update :n inc) :n) ;=> 2
(-> "a-b" (split "-") last) ;=> "b"
(->> [1 2 3] (map inc) (filter even?)) ;=> [2 4]
(->> "abc" reverse (apply str)) ;=> "cba"
(-> 5) ;=> 5
(->) ;!! invalid_thread_form
(->>) ;!! invalid_thread_form
(-> 3 (if :yes :no)) ;=> :yes
(-> 3 #(* % %)) ;=> 9
(-> [3 4] (#(apply + %))) ;=> 7
(-> :k {:k "v"}) ;=> "v"
(->> [1 2] (reduce +) (str "sum: ")) ;=> "sum: 3"
(-> {} (assoc-in [:a :b] 1) (get-in [:a :b])) ;=> 1
(-> 1 (+ 2) (->> (- 10))) ;=> 7
(some-> {:a 1} :a inc) ;!! unbound_var
(as-> 5 x (+ x 1)) ;!! unbound_var
(cond-> 1 true inc) ;!! unbound_var
