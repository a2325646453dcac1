;; Limits: a program always ends.

(loop [n 0] (recur n)) ;!! loop_limit_exceeded
(loop [i 0] (if (= i 1000) i (recur (inc i)))) ;=> 1000
(loop [i 0] (if (= i 1001) i (recur (inc i)))) ;!! loop_limit_exceeded
(loop [i 0] (if (< i 2000) (recur (inc i)) i)) ;!! loop_limit_exceeded
(loop [i 0] (if (< i 900) (recur (inc i)) i)) ;=> 900
(loop [outer 0] (if (< outer 3) (do (loop [i 0] (if (< i 900) (recur (inc i)) i)) (recur (inc outer))) outer)) ;=> 3
((fn [i] (recur (inc i))) 0) ;!! loop_limit_exceeded
(count (for [x (range 1500)] x)) ;=> 1500
(do (doseq [x (range 1500)] x) :done) ;=> :done
(count (map inc (range 20000))) ;=> 20000
(reduce + (range 20000)) ;=> 199990000
(defn deep [n] (if (zero? n) 0 (inc (deep (dec n))))) (deep 3000) ;=> 3000
(defn deep [n] (if (zero? n) 0 (inc (deep (dec n))))) (deep 10001) ;!! execution_error
(defn endless [n] (+ 1 (endless n))) (endless 1) ;!! execution_error
(reduce (fn [s _] (str s s)) "abcdefghij" (range 25)) ;!! memory_exceeded
(reduce (fn [v _] (concat v v)) [1 2 3] (range 25)) ;!! memory_exceeded
(reduce (fn [n _] (* n n)) 99999 (range 12)) ;!! arithmetic_error
(count (str (reduce * (range 1 101)))) ;=> 158
(pow 10 400) ;=> ##Inf
(* 1e200 1e200) ;=> ##Inf
(map (fn [i] (reduce + (range i))) (map (fn [_] 1000) (range 5000))) ;!! timeout
(re-pattern (apply str (map (fn [_] "a") (range 257)))) ;!! type_error
(regex? (re-pattern (apply str (map (fn [_] "a") (range 256))))) ;=> true
(re-find #"(a+)+b" (apply str (map (fn [_] "a") (range 500)))) ;=> nil
(count (re-find #"a+" (apply str (map (fn [_] "a") (range 9000))))) ;=> 9000
(count (split (join "," (range 3000)) ",")) ;=> 3000
(let [nest (reduce (fn [v _] [v]) 1 (range 400))] (vector? nest)) ;=> true
(pr-str (reduce (fn [v _] [v]) 1 (range 600))) ;!! type_error
(count (apply concat (map (fn [_] (range 100)) (range 50)))) ;=> 5000
(count (combinations (range 12) 4)) ;=> 495
(#(+ %1 %20) 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20) ;=> 21
(#(+ %1 %21) 1) ;!! invalid_placeholder
(do (println (join (map (fn [_] "x") (range 5)))) :ok)
;>> xxxxx
;=> :ok
