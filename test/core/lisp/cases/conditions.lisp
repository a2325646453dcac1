;; Local names and conditions.

;; let and do
(let [a 1] (let [a 2] a)) ;=> 2
(let [a 1] (let [a 2] a) a) ;=> 1
(let [f (fn [x] (* x 2)) y (f 4)] (f y)) ;=> 16
(let [a 1 a (+ a 1)] a) ;=> 2
(let [a]) ;!! invalid_arity
(let [a] a) ;!! invalid_form
(let [a 1]) ;!! invalid_arity
(let a 1) ;!! invalid_form
(let [a b b 1] a) ;!! unbound_var
(do 1 2 3) ;=> 3
(do (def total 4) (* total 2)) ;=> 8

;; if, when
(if true 1) ;=> 1
(if nil 1) ;=> nil
(if (> 3 2) "more" "less") ;=> "more"
(if 0 :true :false) ;=> :true
(if true 1 2 3) ;!! invalid_arity
(if-not (empty? "") 1 2) ;=> 2
(if-not nil 1) ;=> 1
(when true 1 2) ;=> 2
(when false (inc nil)) ;=> nil
(when-not false :go) ;=> :go
(when-not 1 :go) ;=> nil
(when) ;!! invalid_arity
(if-let [x (:a {:a 5})] (inc x) :none) ;=> 6
(if-let [x (:b {:a 5})] (inc x) :none) ;=> :none
(if-let [x false] 1 2) ;=> 2
(if-let [x 1] x) ;!! invalid_arity
(if-let [x 1 y 2] x y) ;!! invalid_form
(when-let [x (first [])] (inc x)) ;=> nil
(when-let [m (re-find #"\d+" "room 12")] (parse-long m)) ;=> 12
(when-let [x nil] (fail :never)) ;=> nil
(if-some [x nil] 1 2) ;!! unbound_var
(when-let [x 1] (println x) (inc x))
;>> 1
;=> 2

;; cond
(cond (< 5 3) :a (< 5 6) :b :else :c) ;=> :b
(cond nil 1 :else 2) ;=> 2
(cond :anything 7) ;=> 7
(cond true) ;!! invalid_cond_form
(cond false (inc nil) true :safe) ;=> :safe
(case 1 1 :a) ;!! unbound_var
(condp = 1 1 :a) ;!! unbound_var
({:low 1 :high 3} :high) ;=> 3
({"a" 1} "z" 0) ;=> 0
(map #(cond (neg? %) "neg" (zero? %) "zero" :else "pos") [-1 0 1]) ;=> ["neg" "zero" "pos"]
(map (fn [n] (cond (zero? (mod n 15)) "FizzBuzz" (zero? (mod n 5)) "Buzz" (zero? (mod n 3)) "Fizz" :else n)) [1 3 5 15]) ;=> [1 "Fizz" "Buzz" "FizzBuzz"]
(let [grade #(cond (>= % 90) :a (>= % 75) :b :else :c)] (map grade [95 75 74.9])) ;=> [:a :b :c]

;; Larger choices
(defn shipping [{:keys [weight express?]}]
  (let [base (cond (<= weight 1) 4
                   (<= weight 5) 7
                   :else 12)]
    (if express? (* 2 base) base)))
(map shipping [{:weight 0.5} {:weight 5} {:weight 9 :express? true}])
;=> [4 7 24]
(defn state [{:keys [paid shipped returned]}]
  (cond returned :returned
        (and paid shipped) :done
        paid :to-ship
        :else :to-pay))
(map state [{} {:paid true} {:paid true :shipped true} {:paid true :shipped true :returned true}])
;=> [:to-pay :to-ship :done :returned]
(let [order {:total 80 :coupon "TEN"}
      percent (or (get {"TEN" 10 "HALF" 50} (:coupon order)) 0)
      off (/ (* (:total order) percent) 100)]
  (when (pos? percent)
    {:off off :pay (- (:total order) off)}))
;=> {:off 8.0 :pay 72.0}
(let [classify (fn [x]
                 (cond (nil? x) :missing
                       (string? x) (if (empty? (trim x)) :blank :text)
                       (number? x) :number
                       (coll? x) [:coll (count x)]
                       :else (type x)))]
  (map classify [nil " " "a" 1.5 [1 2] {:a 1} :k]))
;=> [:missing :blank :text :number [:coll 2] [:coll 1] :keyword]
(let [leap? (fn [y] (and (zero? (mod y 4)) (or (not (zero? (mod y 100))) (zero? (mod y 400)))))]
  (filter leap? [1900 2000 2023 2024 2100]))
;=> [2000 2024]
