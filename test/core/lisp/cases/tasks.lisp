;; The journal: task, task-reset, step-done.

(task "sum" (+ 1 2)) ;=> 3
[(task "n" 1) (task "n" 2)] ;=> [1 1]
[(task "a" 1) (task "b" 2)] ;=> [1 2]
(do (task "n" 1) (task-reset "n") (task "n" 2)) ;=> 2
(task-reset "never-ran") ;=> nil
(task 7 :a) ;=> :a
[(task 7 "num") (task "7" "text")] ;=> ["num" "num"]
[(task :k 1) (task "k" 2)] ;=> [1 1]
[(task true 1) (task "true" 2)] ;=> [1 1]
(task [1] 1) ;!! type_error
(task {:id 1} 1) ;!! type_error
(task "a") ;!! invalid_arity
(task "a" 1 2) ;!! invalid_arity
(task) ;!! invalid_arity
(task (str "order-" 5) 1) ;=> 1
(task "m" {:id 1 :tags #{"x"}}) ;=> {"id" 1 "tags" #{"x"}}
(:id (task "m" {:id 1})) ;=> 1
(task "k" [:a {:b :c}]) ;=> [:a {"b" :c}]
(task "f" 2.0) ;=> 2
(task "f" 2.5) ;=> 2.5
(task "n" nil) ;=> nil
[(task "n" nil) (task "n" 5)] ;=> [nil nil]
[(task "b" false) (task "b" true)] ;=> [false false]
(task "d" (LocalDate/parse "2031-05-04")) ;=> "2031-05-04"
(string? (task "d" (LocalDate/parse "2031-05-04"))) ;=> true
(task "t" (java.util.Date. 0)) ;=> "1970-01-01T00:00:00Z"
(task "fn" (fn [x] x)) ;!! type_error
(task "fn" [inc]) ;!! type_error
(task "re" #"a") ;!! type_error
(task "bad" (inc nil)) ;!! type_error
(do (task "ok" 1) (task "bad" (mod 1 0))) ;!! arithmetic_error
(task "outer" (+ 1 (task "inner" 5))) ;=> 6
[(task "outer" (+ 1 (task "inner" 5))) (task "inner" 0)] ;=> [6 5]
(do (task "t" (println "once")) (task "t" (println "twice")))
;>> once
;=> nil
(map (fn [id] (task (str "item-" id) (* id id))) [1 2 1]) ;=> [1 4 1]
(for [i (range 3)] (task (str "step-" i) i)) ;=> [0 1 2]
(loop [i 0] (if (< i 3) (do (task (str "l" i) i) (recur (inc i))) (task "l1" :never))) ;=> 1
(loop [i 0] (task "x" (if (< i 3) (recur (inc i)) i))) ;!! invalid_form
(pmap (fn [n] (task (str "p" n) (* 10 n))) [1 2 3]) ;=> [10 20 30]
(pmap (fn [n] (task "same" n)) [7 7 7]) ;=> [7 7 7]
(do (pmap (fn [n] (task (str "p" n) n)) [1 2]) (task "p2" :again)) ;=> 2
(defn once [id x] (task id x)) [(once "a" 1) (once "a" 2) (once "b" 3)] ;=> [1 1 3]
(-> 5 inc (->> (task "threaded"))) ;=> 6
(task "cond" (cond false 1 :else 2)) ;=> 2
(let [x (task "x" 1)] (task "y" (+ x 1))) ;=> 2
(map task [1 2]) ;!! unbound_var

;; step-done
(step-done "gather" "found 5 orders") ;=> "found 5 orders"
(step-done :gather 5) ;=> "5"
(step-done "gather") ;!! invalid_arity
(step-done "gather" [1]) ;!! type_error
(step-done nil "x") ;!! type_error
(doseq [s ["a" "b"]] (step-done s "ok")) ;=> nil
(map (fn [s] (step-done s "ok")) ["a"]) ;!! unsupported_in_parallel
(pmap (fn [s] (step-done s "ok")) ["a"]) ;!! pmap_error
(map (fn [s] (task-reset s)) ["a"]) ;!! unsupported_in_parallel
(do (task "g" 1) (step-done "g" "done") (task "g" 2)) ;=> 1
(task-reset) ;!! invalid_arity

;; Side effects that happen once
[(task "buy" (:n (tool/ticket))) (task "buy" (:n (tool/ticket))) (:n (tool/ticket))] ;=> [1 1 2]
(do (task "buy" (tool/ticket)) (task-reset "buy") (task "buy" (tool/ticket))) ;=> {"n" 2}
(let [first-try (task "ask" (tool-try (tool/flaky {:id "a" :fails 1})))
      again (task "ask" (tool-try (tool/flaky {:id "a" :fails 1})))]
  [(get-in first-try [:error :code]) (= first-try again)])
;=> ["busy" true]
(let [result (task "ask" (tool-try (tool/flaky {:id "a" :fails 1})))]
  (when (:error result) (task-reset "ask"))
  (:ok (task "ask" (tool-try (tool/flaky {:id "a" :fails 1})))))
;=> {"attempt" 2 "id" "a"}
(do (tool-try (tool/refund {:order 9 :amount 500}))
    (task "refund-9" (tool/refund {:order 9 :amount 500})))
;!! too_much
(doseq [{:keys [id status]} data/orders :when (= status "open")]
  (task (str "remind-" id) (tool/ticket)))
(map (fn [id] (task (str "remind-" id) :not-sent)) [101 102 103])
;=> [:not-sent {"n" 1} {"n" 2}]
(let [ids (map :id (filter (where :status = "paid") data/orders))
      ship (fn [id] (task (str "ship-" id) {:order id :ticket (:n (tool/ticket))}))]
  [(map ship ids) (map ship (reverse ids))])
;=> [[{"order" 101 "ticket" 1} {"order" 105 "ticket" 2}] [{"order" 105 "ticket" 2} {"order" 101 "ticket" 1}]]
(let [a (task "draw" (:n (tool/ticket)))
      b (task "draw" (:n (tool/ticket)))
      total (task "total" (+ a b))]
  (step-done "draw" (str "total " total)))
;=> "total 2"
(def results (pmap (fn [{:keys [id total]}]
                     (task (str "refund-" id) (tool-try (tool/refund {:order id :amount total}))))
                   data/orders))
{:done (map #(get-in % [:ok :ref]) (filter :ok results))
 :refused (map #(get-in % [:error :message]) (filter :error results))}
;=> {:done ["r-102" "r-103" "r-105"] :refused ["refund of 120 is above 100" "refund of 200 is above 100"]}
