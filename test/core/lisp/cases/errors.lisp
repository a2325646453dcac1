;; What is refused, and with which code.

;; Before the program runs: nothing is printed
(do (println "never") (undefined-fn 1)) ;!! unbound_var
(do (println "never") (if)) ;!! invalid_arity
(do (println "never") (tool/nowhere {})) ;!! unknown_tool
(do (println "never") (str/nothing "a")) ;!! invalid_form
(do (println "never") (re-find #"[" "a")) ;!! invalid_form
(do (println "never") (let [5 1] 1)) ;!! unsupported_pattern
(do (println "never") (def inc 1)) ;!! cannot_shadow_builtin
(do (println "never") (cond 1)) ;!! invalid_cond_form
(do (println "never") (where :a like 1)) ;!! invalid_where_operator
(do (println "never") (+ 1 2) ;!! parse_error
(fn [] (undefined-fn 1)) ;!! unbound_var
(when false (undefined-fn 1)) ;!! unbound_var
(when false (tool/nowhere {})) ;!! unknown_tool
(when false (inc 1 2 3)) ;=> nil
(when false ("x" 1)) ;=> nil
(if (> 1 2 3) 1 2) ;!! invalid_arity
(try (inc nil) (catch e 1)) ;!! unbound_var
(throw "x") ;!! unbound_var
(atom 1) ;!! unbound_var
(require [clojure.string :as s]) ;!! unbound_var
(ns shop.main) ;!! unbound_var
(eval "1") ;!! unbound_var
(slurp "file.txt") ;!! unbound_var
(json/parse "{}") ;!! invalid_form
(json/parse-string "{}") ;!! invalid_form
(clojure.core/format "%d" 1) ;!! invalid_form
(format "%d" 1) ;!! unbound_var
(rand-int 5) ;!! unbound_var
(import java.util.UUID) ;!! unbound_var
(System/exit 0) ;!! invalid_form
(.toString 5) ;!! unbound_var
(process/exec "ls") ;!! invalid_form
(js/alert 1) ;!! invalid_form
(data/orders) ;!! invalid_form
(map tool/echo [1]) ;!! invalid_form
(budget/left) ;!! invalid_form

;; While it runs: what was printed stays
(do (println "ran") (inc nil))
;>> ran
;!! type_error
(do (println "ran") (mod 1 0))
;>> ran
;!! arithmetic_error
(do (println "ran") (nth 5 0))
;>> ran
;!! type_error
(+ 1 "1") ;!! type_error
(+ 1 [2]) ;!! type_error
(* 2 :a) ;!! type_error
(- nil 1) ;!! type_error
(/ 1 "2") ;!! type_error
(inc "1") ;!! type_error
(quot 1 0) ;!! arithmetic_error
(rem 1 0) ;!! arithmetic_error
(sum ["1" 2]) ;!! arithmetic_error
(sum [1 ##Inf]) ;!! arithmetic_error
(int ##Inf) ;!! arithmetic_error
(count 12) ;!! type_error
(first 5) ;!! type_error
(map inc [1 nil]) ;!! type_error
(map inc ["1"]) ;!! type_error
(reduce + [1 nil]) ;!! type_error
(filter inc [nil]) ;!! type_error
(sort-by inc [nil 1]) ;!! type_error
(apply + [1 :a]) ;!! type_error
(upcase nil) ;!! type_error
(join "," 5) ;!! type_error
(starts-with? :abc "a") ;!! type_error
(replace "a" "a" 1) ;!! type_error
(keys "ab") ;!! type_error
(vals [1]) ;!! type_error
(merge {} 5) ;!! type_error
(assoc 5 :a 1) ;!! type_error
(assoc {} :a) ;!! arity_error
(get-in {:a 1} "a") ;!! type_error
(update {:n "x"} :n inc) ;!! type_error
(into {} [1 2]) ;!! type_error
(let [{:keys [a]} "str"] a) ;!! destructure_error
((fn [[a]] a) 7) ;!! destructure_error
(map (fn [{:keys [a]}] a) [{:a 1} 5]) ;!! destructure_error
((fn [a b] a) 1) ;!! arity_mismatch
(map (fn [a b] a) [1]) ;!! arity_mismatch
(update {:n 1} :n (fn [a b] a)) ;!! arity_error
(reduce (fn [a] a) [1 2]) ;!! arity_mismatch
(:a {:a 1} 2 3) ;!! invalid_keyword_call
(re-pattern "a(") ;!! type_error
(re-find "a" "a") ;!! type_error
(LocalDate/parse "yesterday") ;!! type_error
(parse-long "x") ;=> nil
(inc (parse-long "x")) ;!! type_error
(compare 1 "1") ;!! type_error
(> "10" 9) ;!! type_error
(task nil 1) ;!! type_error
(task "f" inc) ;!! type_error
(defn broken [x] (+ x "1")) (broken 1) ;!! type_error
(let [f (fn [n] (inc (:n n)))] (map f [{:n 1} {}])) ;!! type_error
(defn total [rows] (reduce + (map :amount rows)))
(total [{:amount 5} {:amont 6}])
;!! type_error
(let [rows [{:price "12.50"} {:price "3"}]]
  (sum-by :price rows))
;!! arithmetic_error
(let [rows [{:price "12.50"} {:price "3"}]]
  (sum (map #(parse-double (:price %)) rows)))
;=> 15.5
(let [user nil]
  (upcase (:name user)))
;!! type_error
(let [user nil]
  (upcase (or (:name user) "guest")))
;=> "GUEST"
