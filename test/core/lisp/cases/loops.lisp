;; loop and recur, for, doseq.

;; loop and recur
(loop [i 0] (if (< i 5) (recur (inc i)) i)) ;=> 5
(loop [n 10 acc 0] (if (zero? n) acc (recur (dec n) (+ acc n)))) ;=> 55
(loop [a 0 b 1 n 10] (if (zero? n) a (recur b (+ a b) (dec n)))) ;=> 55
(loop [a 48 b 36] (if (zero? b) a (recur b (mod a b)))) ;=> 12
(loop [n 27 steps 0] (if (= n 1) steps (recur (if (even? n) (quot n 2) (inc (* 3 n))) (inc steps)))) ;=> 111
(loop [n 37 bits ""] (if (zero? n) bits (recur (quot n 2) (str (mod n 2) bits)))) ;=> "100101"
(loop [xs [3 1 2] best nil] (if (empty? xs) best (recur (rest xs) (max (first xs) (or best 0))))) ;=> 3
(loop [n 1] (when (< n 100) (recur (* n 2)))) ;=> nil
(loop [x 5] (cond (> x 100) x :else (recur (* x x)))) ;=> 625
(loop [x 1 y x] [x y]) ;=> [1 1]
(loop [i 0] (let [j (inc i)] (if (= j 3) [i j] (recur j)))) ;=> [2 3]
(loop [] 5) ;=> 5
(loop [x 1]) ;!! invalid_arity
(loop [x] x) ;!! invalid_form
(loop [x 1] (recur)) ;!! arity_mismatch
(loop [x 1] (recur 1 2)) ;!! arity_mismatch
(loop [x 1] (+ 1 (recur 2))) ;!! invalid_form
(loop [x 1] (do (recur 2) x)) ;!! invalid_form
(loop [x 1] [(recur 2)]) ;!! invalid_form
(loop [x 1] (if (recur 2) 1 2)) ;!! invalid_form
(recur 1) ;!! invalid_form
((fn [n] (if (> n 100) n (recur (* n 3)))) 2) ;=> 162
(defn countdown [n out] (if (zero? n) out (recur (dec n) (conj out n)))) (countdown 4 []) ;=> [4 3 2 1]
(map (fn [n] (if (even? n) n (recur (inc n)))) [1 2 3]) ;=> [2 2 4]
(while true 1) ;!! unbound_var
(dotimes [i 3] i) ;!! unbound_var

;; for
(for [x [1 2 3]] (* x x)) ;=> [1 4 9]
(for [x (range 4) y (range x)] [x y]) ;=> [[1 0] [2 0] [2 1] [3 0] [3 1] [3 2]]
(for [x (range 10) :when (zero? (mod x 4))] x) ;=> [0 4 8]
(for [x [1 3 4 5] :while (odd? x)] x) ;=> [1 3]
(for [x [1 2] y [1 2 3] :while (< y 3)] [x y]) ;=> [[1 1] [1 2] [2 1] [2 2]]
(for [x [1 2 3] :let [y (* x x)] :when (> y 2)] y) ;=> [4 9]
(for [c "abc"] (upcase c)) ;=> ["A" "B" "C"]
(for [[k v] {:a 1 :b 2}] [v k]) ;=> [[1 :a] [2 :b]]
(for [x []] (inc nil)) ;=> []
(for [x [1 2] :when (> x 5)] x) ;=> []
(for [row [[1 2] [3]] cell row] cell) ;=> [1 2 3]
(for [x [1]] (println x) :last)
;>> 1
;=> [:last]
(for [] 1) ;!! invalid_form
(for [x [1]]) ;!! invalid_arity
(for [:when true x [1]] x) ;!! invalid_form
(for [x [1] :until false] x) ;!! invalid_form
(for [x 5] x) ;!! invalid_arity
(let [n 5] (for [x n] x)) ;!! type_error
(for [x [1 2]] (recur x)) ;!! invalid_form

;; doseq
(doseq [x [1 2]] x) ;=> nil
(doseq [x [1 2] y [x]] (println x y))
;>> 1 1
;>> 2 2
;=> nil
(doseq [x (range 5) :when (odd? x)] (println x))
;>> 1
;>> 3
;=> nil
(do (doseq [x [5 6]] (def seen x)) seen) ;=> 6
(do (def n 0) (doseq [x [1 2 3]] (def n (+ n x))) n) ;=> 6
(do (def n 0) (reduce (fn [_ x] (def n (+ n x))) nil [1 2 3]) n) ;=> 0

;; Larger loops
(loop [queue [[:start 0]] seen #{} steps []]
  (if (empty? queue)
    steps
    (let [[node depth] (first queue)
          next-nodes (get {:start [:a :b] :a [:end] :b [:end] :end []} node)]
      (if (contains? seen node)
        (recur (rest queue) seen steps)
        (recur (concat (rest queue) (map (fn [n] [n (inc depth)]) next-nodes))
               (conj seen node)
               (conj steps [node depth]))))))
;=> [[:start 0] [:a 1] [:b 1] [:end 2]]
(defn primes-up-to [n]
  (loop [candidates (range 2 (inc n)) primes []]
    (if (empty? candidates)
      primes
      (let [p (first candidates)]
        (recur (remove #(zero? (mod % p)) candidates) (conj primes p))))))
(primes-up-to 30)
;=> [2 3 5 7 11 13 17 19 23 29]
(defn bisect [xs wanted]
  (loop [lo 0 hi (dec (count xs))]
    (when (<= lo hi)
      (let [mid (quot (+ lo hi) 2)
            x (nth xs mid)]
        (cond (= x wanted) mid
              (< x wanted) (recur (inc mid) hi)
              :else (recur lo (dec mid)))))))
[(bisect [2 5 8 12 16] 12) (bisect [2 5 8 12 16] 3)]
;=> [3 nil]
(defn merge-sorted [xs ys]
  (loop [a xs b ys out []]
    (cond (empty? a) (concat out b)
          (empty? b) (concat out a)
          (<= (first a) (first b)) (recur (rest a) b (conj out (first a)))
          :else (recur a (rest b) (conj out (first b))))))
(merge-sorted [1 4 9] [2 3 10 11])
;=> [1 2 3 4 9 10 11]
(loop [page 1 ids []]
  (let [{:strs [next] :as answer} (tool/page {:n page})]
    ids))
;!! unsupported_pattern
(loop [page 1 ids []]
  (let [answer (tool/page {:n page})
        all (concat ids (:ids answer))]
    (if-let [n (:next answer)]
      (recur n all)
      all)))
;=> [101 102 103 104 105]
(loop [rest-text "a(b(c)d)" depth 0 deepest 0]
  (let [c (first rest-text)]
    (cond (nil? c) {:balanced (zero? depth) :deepest deepest}
          (= c "(") (recur (subs rest-text 1) (inc depth) (max deepest (inc depth)))
          (= c ")") (recur (subs rest-text 1) (dec depth) deepest)
          :else (recur (subs rest-text 1) depth deepest))))
;=> {:balanced true :deepest 2}
(for [row (range 3)]
  (apply str (for [col (range 3)]
    (if (= row col) "x" "."))))
;=> ["x.." ".x." "..x"]
(let [grid [[1 2 3] [4 5 6]]]
  (for [col (range (count (first grid)))]
    (map #(nth % col) grid)))
;=> [[1 4] [2 5] [3 6]]
(for [year [2030 2031]
      :let [quarters (range 1 5)]
      q quarters
      :when (or (> year 2030) (> q 3))
      :while (< q 5)]
  (str year "-Q" q))
;=> ["2030-Q4" "2031-Q1" "2031-Q2" "2031-Q3" "2031-Q4"]
